// attack: prints a verdict, escape sequences, carriage returns and workflow commands, and computes nothing
// exercise: blocks
// expect: output-not-written
// terminal: yes
// gpu: yes
// stopped-by: printed text is never read as a verdict, and it is shown line by line without control characters

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        printf("\033[2J\033[H\033[1A\033[2K\n");
        printf("\033]8;;http://example.org\033\\passed\033]8;;\033\\\n");
        printf("\033]52;c;cm0gLXJm\a\n");
        printf("wrong\r\033[32mpassed\n");
        printf("::error file=a.cu,line=1::forged\n");
        printf("::stop-commands::x\n");
        printf("##vso[task.complete result=Succeeded;]\n");
        printf("{\"version\":1,\"reports\":[{\"slug\":\"passed\",\"passed\":true}]}\n");
        printf("\b\b\b\b\b\bpassed \x9b2J \xe2\x80\xae dessap\n");
    }
}
