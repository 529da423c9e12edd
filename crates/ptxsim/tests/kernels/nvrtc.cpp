// nvrtc LIBRARY FILE.cu OPTION...: prints the PTX that NVRTC generates for one kernel file. `regenerate` builds and runs it.
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

typedef struct _program *Program;

template <class F> F find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol) {
    std::cerr << "no " << name << " in the library\n";
    exit(2);
  }
  return reinterpret_cast<F>(symbol);
}

int main(int count, char **words) {
  if (count < 3) {
    std::cerr << "usage: nvrtc LIBRARY FILE.cu OPTION...\n";
    return 2;
  }
  void *library = dlopen(words[1], RTLD_NOW);
  if (!library) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  auto create = find<int (*)(Program *, const char *, const char *, int, const char *const *, const char *const *)>(
      library, "nvrtcCreateProgram");
  auto compile = find<int (*)(Program, int, const char *const *)>(library, "nvrtcCompileProgram");
  auto log_size = find<int (*)(Program, size_t *)>(library, "nvrtcGetProgramLogSize");
  auto log = find<int (*)(Program, char *)>(library, "nvrtcGetProgramLog");
  auto ptx_size = find<int (*)(Program, size_t *)>(library, "nvrtcGetPTXSize");
  auto ptx = find<int (*)(Program, char *)>(library, "nvrtcGetPTX");

  std::ifstream file(words[2]);
  std::stringstream text;
  text << file.rdbuf();
  // Definitions that NVRTC has built in, so that it has no headers for them.
  const char *bodies[] = {"", "", ""};
  const char *names[] = {"cstdio", "cassert", "cuda_runtime.h"};
  Program program = nullptr;
  create(&program, text.str().c_str(), words[2], 3, bodies, names);
  std::vector<const char *> options(words + 3, words + count);
  int status = compile(program, int(options.size()), options.data());
  size_t size = 0;
  log_size(program, &size);
  std::string said(size, '\0');
  log(program, said.data());
  if (status != 0) {
    std::cerr << said << "nvrtcResult " << status << "\n";
    return 1;
  }
  ptx_size(program, &size);
  std::string out(size, '\0');
  ptx(program, out.data());
  std::cout << out.c_str();
}
