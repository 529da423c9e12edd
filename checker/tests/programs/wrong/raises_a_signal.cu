// The program sends itself a signal, which is not an access to memory.
#include <csignal>

int main() {
    raise(SIGSEGV);  // fixed:
}
