// attack: includes another student's submission
// exercise: blocks
// expect: compile-error
// stopped-by: files: the compiler may open only the system's programs and its own folder

#include "@CANARY@/submissions/grace/exercises/ch01_threads/blocks.cu"
