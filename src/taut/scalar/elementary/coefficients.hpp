// Written by coefficients.py, which says how. Polynomials are listed from the constant term upwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace taut::elementary {

template <std::size_t count>
using Coefficients = std::array<double, count>;

// (sin(r)/r - 1)/r² as a polynomial in r², |r| <= π/4, to 2^-55.6 of the result.
inline constexpr Coefficients<6> sine = {{
    -0x1.5555555555555p-3,
    0x1.1111111110babp-7,
    -0x1.a01a019e820aep-13,
    0x1.71de37946ed6dp-19,
    -0x1.ae6008d114485p-26,
    0x1.5e0a4fc16be59p-33,
}};

// (cos(r) - 1 + r²/2)/r⁴ as a polynomial in r², |r| <= π/4, to 2^-60.0 of the result.
inline constexpr Coefficients<6> cosine = {{
    0x1.5555555555555p-5,
    -0x1.6c16c16c16963p-10,
    0x1.a01a019f4ddfdp-16,
    -0x1.27e4fa16cc2d1p-22,
    0x1.1eeb67d026ec6p-29,
    -0x1.907cd8ff5ede7p-37,
}};

// (exp(r) - 1 - r - r²/2)/r³ as a polynomial in r, |r| <= log(2)/2, to 2^-60.3 of the result.
inline constexpr Coefficients<10> exponential = {{
    0x1.5555555555556p-3,
    0x1.5555555555555p-5,
    0x1.11111111109a6p-7,
    0x1.6c16c16c167dap-10,
    0x1.a01a01a7cebcdp-13,
    0x1.a01a01a48116fp-16,
    0x1.71de0d85293b8p-19,
    0x1.27e4e1dcf773bp-22,
    0x1.af390ba7e6f47p-26,
    0x1.1f6717774d5e0p-29,
}};

// (2 artanh(s)/s - 2)/s² as a polynomial in s², |s| <= 0.1716, to 2^-57.6 of the result.
inline constexpr Coefficients<7> logarithm = {{
    0x1.5555555555558p-1,
    0x1.9999999995273p-2,
    0x1.2492492dfd86cp-2,
    0x1.c71c62d5e53e0p-3,
    0x1.7462b91b8df65p-3,
    0x1.39fdcceb4bb45p-3,
    0x1.2b5f68a50d903p-3,
}};

// (2 artanh(s)/s - 2 - 2s²/3 - 2s⁴/5)/s⁶ as a polynomial in s², |s| <= 0.1716, to 2^-72.1 of the result.
inline constexpr Coefficients<8> logarithm_tail = {{
    0x1.2492492492492p-2,
    0x1.c71c71c71c824p-3,
    0x1.745d1745a3aecp-3,
    0x1.3b13b16b845a0p-3,
    0x1.1110f7ed90f7bp-3,
    0x1.e1f004ce6b5cap-4,
    0x1.acf7370081675p-4,
    0x1.b2ebd5566f660p-4,
}};

// (atan(t)/t - 1)/t² as a polynomial in t², |t| <= tan(π/8), to 2^-57.0 of the result.
inline constexpr Coefficients<11> arctangent = {{
    -0x1.5555555555555p-2,
    0x1.999999999933dp-3,
    -0x1.24924924355d5p-3,
    0x1.c71c7184c32bfp-4,
    -0x1.745d0b153ffadp-4,
    0x1.3b126143b5cbcp-4,
    -0x1.10fa5ee9ab25cp-4,
    0x1.dfe49b2919c4ep-5,
    -0x1.a090d1950d2b4p-5,
    0x1.41495cefb6c73p-5,
    -0x1.39f38ad451ea6p-6,
}};

// (asin(s)/s - 1)/s² as a polynomial in s², |s| <= 1/2, to 2^-57.3 of the result.
inline constexpr Coefficients<13> arcsine = {{
    0x1.5555555555556p-3,
    0x1.3333333332ec4p-4,
    0x1.6db6db6e3292ep-5,
    0x1.f1c71c1d4aa0dp-6,
    0x1.6e8bb1d89492bp-6,
    0x1.1c4d343fa57f6p-6,
    0x1.c9cf3759fd8ffp-7,
    0x1.78246f32d075cp-7,
    0x1.524ea8b3aad31p-7,
    0x1.653a8f8cfd43cp-8,
    0x1.1d661531b222ep-6,
    -0x1.e7a24f548c99fp-7,
    0x1.d78189767524ep-6,
}};

// (sinh(x)/x - 1)/x² as a polynomial in x², |x| <= 1, to 2^-56.6 of the result.
inline constexpr Coefficients<8> hyperbolic_sine = {{
    0x1.5555555555555p-3,
    0x1.1111111111111p-7,
    0x1.a01a01a01a001p-13,
    0x1.71de3a556f9acp-19,
    0x1.ae64567924223p-26,
    0x1.612467d1c2fabp-33,
    0x1.ae777839b3498p-41,
    0x1.99f1ba85cd318p-49,
}};

// The cube root of m, 1 <= m <= 2, as a first guess, to 2^-24.7 of the result.
inline constexpr Coefficients<8> cube_root = {{
    0x1.b573b58a7f6e5p-2,
    0x1.0cab81eba25ffp+0,
    -0x1.c0b0579be37d2p-1,
    0x1.4271a3214c696p-1,
    -0x1.40d4226467813p-2,
    0x1.9a67a79d1c6f7p-4,
    -0x1.2f34c7760c1f9p-6,
    0x1.893319a48b51ap-10,
}};

// erf(x)/x - 9/8 as a polynomial in x², |x| <= 1/2, to 2^-57.9 of the result.
inline constexpr Coefficients<11> error_function = {{
    0x1.baea08536da23p-9,
    -0x1.812746b0379e7p-2,
    0x1.ce2f21a042be0p-4,
    -0x1.b82ce312889f1p-6,
    0x1.565bcd0e5f524p-8,
    -0x1.c02db3f9d2e63p-11,
    0x1.f9a324a1fafb9p-14,
    -0x1.f4d1cfbaa6a39p-17,
    0x1.b9d19916428c3p-20,
    -0x1.5d762279d8204p-23,
    0x1.c6059fbd11bd2p-27,
}};

// (x + 9/16) exp(x²) erfc(x) - 5/8 as a polynomial in 1/(x + 2) - 7/32, 1/2 <= x <= 28, to 2^-56.3 of
// the result.
inline constexpr Coefficients<24> complement = {{
    0x1.3dd5a8d283f8dp-6,  0x1.62f46f4c24655p-2,   -0x1.5498571ab8b41p-1,  -0x1.0320ce9e1c9eep+2,
    -0x1.cc080a572eacfp+2, 0x1.00eeb9b148cebp-2,   0x1.2492d0a4981b5p+4,   0x1.fcee9226d7016p+1,
    -0x1.c966d181b5c4bp+5, 0x1.b31908614b9c2p+2,   0x1.9541031f6b70bp+7,   -0x1.7ef082ff58df9p+7,
    -0x1.3983077415378p+9, 0x1.8603600be7342p+10,  0x1.4cd9866f6358ep+9,   -0x1.0047aeac149bbp+13,
    0x1.44ff672e4f16ap+13, 0x1.5f56779aeb40ep+14,  -0x1.80584cce94159p+16, 0x1.ef2196051570bp+15,
    0x1.ba92c815b3befp+18, -0x1.e6486219b0875p+19, -0x1.d1a9186eed6bfp+19, 0x1.c72688c4cec62p+21,
}};

// π/2, in 3 parts of 39, 39, 53 bits.
inline constexpr double half_pi_1 = 0x1.921fb54444000p+0, half_pi_2 = -0x1.2e7b967674000p-40,
                        half_pi_3 = 0x1.8a2e03707344ap-81;

// π/2, in 2 parts of 53, 53 bits.
inline constexpr double pi_over_2_1 = 0x1.921fb54442d18p+0, pi_over_2_2 = 0x1.1a62633145c07p-54;

// π/4, in 2 parts of 53, 53 bits.
inline constexpr double pi_over_4_1 = 0x1.921fb54442d18p-1, pi_over_4_2 = 0x1.1a62633145c07p-55;

// log(2), in 2 parts of 42, 53 bits.
inline constexpr double log_2_1 = 0x1.62e42fefa3800p-1, log_2_2 = 0x1.ef35793c76730p-45;

// 2/3, in 2 parts of 53, 53 bits.
inline constexpr double two_thirds_1 = 0x1.5555555555555p-1, two_thirds_2 = 0x1.5555555555555p-55;

// 2/5, in 2 parts of 53, 53 bits.
inline constexpr double two_fifths_1 = 0x1.999999999999ap-2, two_fifths_2 = -0x1.999999999999ap-56;

// The bits of 2/π after the binary point; the first word is 0, for the bits before it.
inline constexpr std::array<std::uint64_t, 21> two_over_pi_bits = {{
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
}};

}  // namespace taut::elementary
