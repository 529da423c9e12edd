// attack: computes on the host and writes a whole answer of its own, with the counts of a program that uses the device
// exercise: roundtrip
// expect: host-crash
// gpu: yes
// stopped-by: a valid answer repeats the secret token of its call, and the machine is checked before the program is loaded

#include <cmath>
#include <cstring>
#include <string>
#include <unistd.h>

// the counts that the simulator reports for a launch
#define SEEN \
    "{\"findings\":[],\"completed\":true,\"shared_bytes\":0,\"warps\":0,\"totals\":" \
    "{\"instructions\":0,\"thread_instructions\":0,\"load_requests\":0,\"thread_loads\":0,\"load_sectors\":0,\"load_sectors_ideal\":0" \
    ",\"store_requests\":0,\"store_sectors\":0,\"store_sectors_ideal\":0" \
    ",\"shared_requests\":0,\"shared_wavefronts\":0,\"shared_wavefronts_ideal\":0,\"shared_transactions\":0" \
    ",\"global_atomics\":0,\"thread_atomics\":0,\"global_atomic_sectors\":0,\"shared_atomics\":0,\"shared_atomic_wavefronts\":0" \
    ",\"local_requests\":0,\"local_sectors\":0,\"texture_requests\":0,\"branches\":0,\"divergent_branches\":0,\"barriers\":0}" \
    ",\"lines\":[],\"arrays\":[],\"output\":\"\",\"output_dropped\":0}"

static const char report[] =
    "{\"launches\":[{\"kernel\":\"sine\",\"grid\":[4,1,1],\"block\":[256,1,1],\"arrays\":[],\"strangers\":[],\"indirect\":[],\"seen\":"
    SEEN ",\"refused\":null,\"stream\":0,\"at\":null,\"span\":null}],\"timeline\":[],"
    "\"copies\":{\"to_device\":{\"calls\":1,\"bytes\":4000},\"to_host\":{\"calls\":1,\"bytes\":4000},"
    "\"within_device\":{\"calls\":0,\"bytes\":0},\"within_host\":{\"calls\":0,\"bytes\":0}},\"sets\":{\"calls\":0,\"bytes\":0},"
    "\"allocations\":2,\"allocated\":8000,\"peak\":8000,\"peak_live\":2,\"streams\":0,"
    "\"synchronisations\":{\"device\":0,\"stream\":0,\"event\":0},\"elapsed\":[],\"leaks\":[],\"findings\":[],\"crashed\":null,\"lost\":null}";

struct Message {
    std::string bytes;
    void number(size_t n) {
        for (; n > 127; n /= 128) {
            bytes += static_cast<char>(n % 128 + 128);
        }
        bytes += static_cast<char>(n);
    }
    void text(const std::string& s) {
        number(s.size());
        bytes += s;
    }
};

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < n; ++i) {
        out[i] = std::sin(a[i]);
    }
    Message message;
    message.bytes = std::string("\6\0\0\1", 4);  // a called function's answer, its token, one output
    message.text("out");
    message.text(std::string(reinterpret_cast<char*>(out), n * sizeof(float)));
    message.number(0);
    message.text("[]");
    message.text(SEEN);
    message.text(report);
    message.bytes += std::string("\0\0\0\0", 4);  // nothing printed, no times, no device's name
    std::string frame = "cwk1";
    const unsigned long long length = message.bytes.size();
    frame.append(reinterpret_cast<const char*>(&length), 8);
    frame += message.bytes;
    for (int to = 3; to < 256; ++to) {
        (void)!write(to, frame.data(), frame.size());
    }
    _exit(0);
}
