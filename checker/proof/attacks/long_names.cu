// attack: many functions with one long name, for the memory of the process that reads names
// exercise: roundtrip
// expect: wrong-signature
// graded: yes
// stopped-by: the compiler's own process reads the functions, and gives the first characters of names only

#define PASTE(a, b) a##b
#define TWICE(a) PASTE(a, a)
#define N0 nnnnnnnnnnnnnnnn
#define N1 TWICE(N0)
#define N2 TWICE(N1)
#define N3 TWICE(N2)
#define N4 TWICE(N3)
#define N5 TWICE(N4)
#define N6 TWICE(N5)
#define N7 TWICE(N6)
#define N8 TWICE(N7)
#define N9 TWICE(N8)
#define N10 TWICE(N9)
#define N11 TWICE(N10)
#define N12 TWICE(N11)
namespace N12 {
struct S1 { void N12(); }; void S1::N12() {}
struct S2 { void N12(); }; void S2::N12() {}
struct S3 { void N12(); }; void S3::N12() {}
struct S4 { void N12(); }; void S4::N12() {}
struct S5 { void N12(); }; void S5::N12() {}
struct S6 { void N12(); }; void S6::N12() {}
struct S7 { void N12(); }; void S7::N12() {}
struct S8 { void N12(); }; void S8::N12() {}
struct S9 { void N12(); }; void S9::N12() {}
struct S10 { void N12(); }; void S10::N12() {}
struct S11 { void N12(); }; void S11::N12() {}
struct S12 { void N12(); }; void S12::N12() {}
struct S13 { void N12(); }; void S13::N12() {}
struct S14 { void N12(); }; void S14::N12() {}
struct S15 { void N12(); }; void S15::N12() {}
struct S16 { void N12(); }; void S16::N12() {}
struct S17 { void N12(); }; void S17::N12() {}
struct S18 { void N12(); }; void S18::N12() {}
struct S19 { void N12(); }; void S19::N12() {}
struct S20 { void N12(); }; void S20::N12() {}
struct S21 { void N12(); }; void S21::N12() {}
struct S22 { void N12(); }; void S22::N12() {}
struct S23 { void N12(); }; void S23::N12() {}
struct S24 { void N12(); }; void S24::N12() {}
struct S25 { void N12(); }; void S25::N12() {}
struct S26 { void N12(); }; void S26::N12() {}
struct S27 { void N12(); }; void S27::N12() {}
struct S28 { void N12(); }; void S28::N12() {}
struct S29 { void N12(); }; void S29::N12() {}
struct S30 { void N12(); }; void S30::N12() {}
struct S31 { void N12(); }; void S31::N12() {}
struct S32 { void N12(); }; void S32::N12() {}
struct S33 { void N12(); }; void S33::N12() {}
struct S34 { void N12(); }; void S34::N12() {}
struct S35 { void N12(); }; void S35::N12() {}
struct S36 { void N12(); }; void S36::N12() {}
struct S37 { void N12(); }; void S37::N12() {}
struct S38 { void N12(); }; void S38::N12() {}
struct S39 { void N12(); }; void S39::N12() {}
struct S40 { void N12(); }; void S40::N12() {}
struct S41 { void N12(); }; void S41::N12() {}
struct S42 { void N12(); }; void S42::N12() {}
struct S43 { void N12(); }; void S43::N12() {}
struct S44 { void N12(); }; void S44::N12() {}
struct S45 { void N12(); }; void S45::N12() {}
struct S46 { void N12(); }; void S46::N12() {}
struct S47 { void N12(); }; void S47::N12() {}
struct S48 { void N12(); }; void S48::N12() {}
struct S49 { void N12(); }; void S49::N12() {}
struct S50 { void N12(); }; void S50::N12() {}
struct S51 { void N12(); }; void S51::N12() {}
struct S52 { void N12(); }; void S52::N12() {}
struct S53 { void N12(); }; void S53::N12() {}
struct S54 { void N12(); }; void S54::N12() {}
struct S55 { void N12(); }; void S55::N12() {}
struct S56 { void N12(); }; void S56::N12() {}
struct S57 { void N12(); }; void S57::N12() {}
struct S58 { void N12(); }; void S58::N12() {}
struct S59 { void N12(); }; void S59::N12() {}
struct S60 { void N12(); }; void S60::N12() {}
}
extern "C" void trip(float N12) {}
