// attack: includes what another student has handed in
// exercise: blocks
// expect: compile-error
// stopped-by: files: the compiler may open the system's programs and its own folder

#include "@CANARY@/submissions/grace/exercises/ch01_threads/blocks.cu"
