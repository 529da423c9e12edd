// attack: includes the course's own solution from the checkout that it is graded in
// exercise: blocks
// expect: compile-error
// stopped-by: files: the compiler may open the system's programs and its own folder

#include "@COURSE@/solutions/ch01_threads/blocks.cu"
