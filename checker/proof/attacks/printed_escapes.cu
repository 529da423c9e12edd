// attack: moves the cursor, overwrites lines, makes links and sets the clipboard, so that the terminal shows another text than the checker wrote
// exercise: roundtrip
// expect: output-not-written
// terminal: yes
// gpu: yes
// stopped-by: printed text is never read as a verdict, and it is shown line by line without control characters

#include <cstdio>

extern "C" void roundtrip(const float* a, float* out, int n) {
    fputs("\033[2J\033[H\033[1A\033[2K\n", stdout);
    fputs("\033]8;;http://example.org\033\\passed\033]8;;\033\\\n", stdout);
    fputs("\033]52;c;cm0gLXJm\a\n", stdout);
    fputs("wrong\r\033[32mpassed\n", stdout);
    fputs("::error file=a.cu,line=1::forged\n", stdout);
    fputs("::stop-commands::x\n", stdout);
    fputs("##vso[task.complete result=Succeeded;]\n", stdout);
    fputs("\b\b\b\b\b\bpassed \x9b2J \xe2\x80\xae dessap\n", stdout);
    fflush(stdout);
}
