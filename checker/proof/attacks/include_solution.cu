// attack: includes the course's own solution from the checkout that grades it
// exercise: blocks
// expect: compile-error
// stopped-by: files: the compiler may open only the system's programs and its own folder

#include "@COURSE@/solutions/ch01_threads/blocks.cu"
