#pragma once

// Coefficients of symmetric composition methods.
//
// Two kinds of scheme share one list:
//
// * alternates == false: Phi_h = S_{g_s h} o ... o S_{g_1 h}, S a symmetric method of order 2, s = stages,
//   g_i = g_{s+1-i}.
//
// * alternates == true: Phi_h = chi_{a_{2s} h} o chi*_{a_{2s-1} h} o ... o chi_{a_2 h} o chi*_{a_1 h}, chi
//   any method of order 1, chi*_h = (chi_{-h})^{-1} its adjoint, a_i = a_{2s+1-i}. chi* comes first. With
//       chi*_h = phi^B_h o phi^A_h   (A acts first, then B),
//       chi_h  = phi^A_h o phi^B_h   (B acts first, then A)
//   this is the splitting A(a_1) B(a_1+a_2) A(a_2+a_3) B(a_3+a_4) ... A(a_{2s}): the flow of A acts first and
//   last. A and B are any two parts of the vector field; neither need be the kinetic energy.
//
// The digits are the roots of the order conditions, found by Newton's method to 90 digits from the published
// values and rounded to 36 significant ones. If a scheme has more coefficients than conditions, those named
// "free" are kept exactly as published and the others follow from them. The published digits of yoshida8a ...
// e satisfy their conditions to 1e-12 ... 5e-11 only; the roots here, the nearest there are, differ from them
// by up to 5e-11.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace taut {

struct CompositionScheme {
  std::string_view name;
  int order;
  int stages;                              // the s of the formulas above
  std::span<const std::string_view> half;  // first half of the coefficients, and the middle one if any
  std::string_view source;
  bool alternates;
  // The rest is for schemes that are made at run time (made_composition.hpp): all coefficients, and the texts
  // that a table does not need.
  std::span<const __float128> made = {};
  bool palindromic = true;          // γᵢ = γ_{s+1-i}: the composition is as symmetric as its base
  std::string_view base_text = {};  // the base in brackets, as people read it

  // Returns the number of coefficients of one step.
  constexpr std::size_t size() const {
    if (!made.empty()) return made.size();
    return static_cast<std::size_t>(alternates ? 2 * stages : stages);
  }
};

namespace composition_digits {

// Returns 10^k, which is exact for k <= 48, because 5^k then fits the 113 bits of the significand.
constexpr __float128 power_of_ten(int k) {
  __float128 power = 1;
  for (; k > 0; --k) power *= 10;
  return power;
}

}  // namespace composition_digits

// Returns the value of a plain decimal ("-0.25") of at most 36 significant digits and 48 decimals, within one
// unit in the last place of T. Digits as text serve every scalar type: a literal of __float128 is not ISO
// C++.
//
// The digits are read as two integers of at most 18 digits, exact in 64 bits; high * 10^k is exact as well
// (60 + 42 bits), so that only the sum, the quotient and the conversion to T round.
template <class T>
constexpr T parse_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  int significant = 0;
  int low_digits = 0;
  int decimals = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') throw std::invalid_argument("parse_decimal: not a plain decimal");
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (significant > 0 || digit != 0) ++significant;
    if (point) ++decimals;
    if (significant <= 18) {
      high = 10 * high + digit;
    } else {
      low = 10 * low + digit;
      ++low_digits;
    }
    if (low_digits > 18 || decimals > 48) throw std::invalid_argument("parse_decimal: too many digits");
  }
  using composition_digits::power_of_ten;
  const __float128 digits = high * power_of_ten(low_digits) + low;
  const __float128 value = digits / power_of_ten(decimals);
  return static_cast<T>(negative ? -value : value);
}

namespace composition_digits {

// 1/(2 - 2^(1/3)), twice, around 1 minus their sum.
inline constexpr std::array<std::string_view, 2> yoshida4 = {
    "1.35120719195965763404768780897146083",
    "-1.70241438391931526809537561794292165",
};

// 1/(4 - 4^(1/3)), four times, around 1 minus their sum.
inline constexpr std::array<std::string_view, 3> suzuki4 = {
    "0.414490771794375737142354062860761496",
    "0.414490771794375737142354062860761496",
    "-0.657963087177502948569416251443045983",
};

// Free: gamma_1 = 0.28.
inline constexpr std::array<std::string_view, 3> mclachlan4 = {
    "0.28",
    "0.625466428467670045012338905492649013",
    "-0.810932856935340090024677810985298026",
};

inline constexpr std::array<std::string_view, 4> yoshida6a = {
    "0.784513610477557263819497633866349876",
    "0.235573213359358133684793182978534602",
    "-1.17767998417887100694641568096431573",
    "1.31518632068391121888424972823886251",
};

inline constexpr std::array<std::string_view, 4> yoshida6b = {
    "1.43984816797678309093049928147902318",
    "0.00426068187079201619608371382866979133",
    "-2.13228522200145152070599337222079629",
    "2.37635274430775282715882075382620663",
};

inline constexpr std::array<std::string_view, 4> yoshida6c = {
    "1.44778256239929793289789666329892674",
    "-2.14403531630538931060130180665988919",
    "0.00152886228424927025226723861720559176",
    "2.38944778324368421490227580948751373",
};

// Free: gamma_1 = 0.1867.
inline constexpr std::array<std::string_view, 5> mclachlan6 = {
    "0.1867",
    "0.555497023712478399156913543628391201",
    "0.129466948913475358056045209210204781",
    "-0.843265623387734608549142781384814990",
    "0.943203301523561702672368057092438016",
};

// max |gamma_i| is stationary here along the one-parameter family. Free: gamma_1, as published.
inline constexpr std::array<std::string_view, 5> kahan_li6a = {
    "0.39216144400731413927925056",
    "0.332599136789359438599748634257274356",
    "-0.706246172557639359809964819634910351",
    "0.0822135962935508002314904488531569177",
    "0.798543990934829963398950353048958155",
};

// sum |gamma_i| is stationary here along the same family. Free: gamma_1, as published.
inline constexpr std::array<std::string_view, 5> kahan_li6b = {
    "0.39103020330868478817",
    "0.334037289611136017485514429557600284",
    "-0.706227281187561343453768156848225502",
    "0.0818775496480594457721697062690926921",
    "0.798564477239362184052168042043065052",
};

inline constexpr std::array<std::string_view, 8> yoshida8a = {
    "1.04242620869970426434895326839765648",     "1.82020630970698006933173316612139978",
    "0.157739928123708321342825783079542005",    "2.44002732616634406381689589761943094",
    "-0.00716989419709533209980612924964910948", "-2.44699182370424588929469145238146248",
    "-1.61582374150065378478794019745874217",    "-1.78082862658948342531594067225635089",
};

inline constexpr std::array<std::string_view, 8> yoshida8b = {
    "1.48819229202921310080170834306939712",     "-2.33864815101041943097755752461072931",
    "2.89105148972198900061359034556036665",     "-2.89688250330423986858932330057908144",
    "0.00378039588362668223687070843471052266",  "2.89195744315817391247973296858888158",
    "-0.00169248587771706559170216552579905667", "-3.07551696120125266194663874987549215",
};

inline constexpr std::array<std::string_view, 8> yoshida8c = {
    "0.629030650210370799898404660425784174", "1.36934946416881770055614756946987824",
    "-1.06458714789182507053512492188741047", "1.66335809963350517975765739060600844",
    "-1.67896928259673847121261312511037814", "-1.55946803821470258820939472756701516",
    "0.311790812418466772552054582280645209", "1.65899088454421135438573714356497542",
};

inline constexpr std::array<std::string_view, 8> yoshida8d = {
    "0.914844246229791566748793489847509605", "0.253693336566211354146146020689942076",
    "-1.44485223686060515769473065753739035", "-0.158240635368050175204066776759754248",
    "1.93813913762252598657918648744364176",  "-1.96061023297531080760763337639966364",
    "0.102799849391796440698115131601225863", "1.70845307078728158466837936222897788",
};

inline constexpr std::array<std::string_view, 8> yoshida8e = {
    "1.30300165757516838490563502738911420",    "0.107990467718098279605406291078210860",
    "-2.04809795883490205644255158963062526",   "0.00536018921375238083489652888985973012",
    "-0.0719180053650705074781012549420280137", "2.52778927318028339182762845074129114",
    "0.0227738840126312259834908659825195850",  "-2.69379901499992219847280863901668450",
};

// This has the smallest max |gamma_i| known for 15 stages.
inline constexpr std::array<std::string_view, 8> suzuki_umeno8 = {
    "0.741670364350612953448227801783806316", "-0.409100825800031593997300095893563417",
    "0.190754710296238379953876256450371663", "-0.573862471116082266656387726635535742",
    "0.299064181303655923844463540688602988", "0.334624918245298183784957979882182289",
    "0.315293092396766596632056663811002431", "-0.796887939352916354019788840173733053",
};

// Free: gamma_1 = 25/194.
inline constexpr std::array<std::string_view, 9> mclachlan8_17 = {
    "0.128865979381443298969072164948453608",  "0.581514087105250962430242278203813691",
    "-0.410175371469850137532406150089048660", "0.185146935716587732653271949863489457",
    "-0.409552343420851419339845173688909270", "0.144405941080012041060075187156927749",
    "0.278335500393679651309107062812417229",  "0.314956683916294857890281311972950882",
    "-0.626994825405133974879597262360189375",
};

// max |gamma_i| is stationary here along the one-parameter family. Free: gamma_1, as published.
inline constexpr std::array<std::string_view, 9> kahan_li8a = {
    "0.13020248308889008087881763",
    "0.561162981775108384561964407682000103",
    "-0.389474962644847286408078593043166997",
    "0.158841906555155600896210746677682393",
    "-0.395903894133237577336231543466131671",
    "0.184539640978315707091832543364086516",
    "0.258374387686322047293979111695425974",
    "0.295011723609310298870966236757462977",
    "-0.605508533830034511698921079334718588",
};

// sum |gamma_i| is stationary here along the same family. Free: gamma_1, as published.
inline constexpr std::array<std::string_view, 9> kahan_li8b = {
    "0.12713692773487857916",
    "0.561702537988802699716774364451474782",
    "-0.382534719948830188877633522512011704",
    "0.160076056294647431195284108222529050",
    "-0.401816374326806966730616970493224809",
    "0.187366716542278497244907403476598387",
    "0.260708709207792405697499122790430248",
    "0.290397388125161623885211322004812631",
    "-0.606074483235848162582851655881217170",
};

// The eight coefficients of degree 9, the first that do not vanish, have their least Euclidean norm here, as
// far as a search from 180 starts has found. Free: gamma_1 and gamma_2, to ten digits.
inline constexpr std::array<std::string_view, 10> taut8 = {
    "0.1553428261",
    "0.4545762431",
    "-0.285114517649298523455218015880640821",
    "0.0644938387122173858190753638762676562",
    "-0.331095997353293613377073930830392670",
    "0.149963286190435221963664509771853742",
    "0.184289368947353930128106837796528745",
    "0.186416054260401041875517987009440986",
    "0.166672228466968212373629976608622350",
    "-0.491086661549567310655405456703359976",
};

// 31 stages leave nothing free.
inline constexpr std::array<std::string_view, 16> kahan_li10 = {
    "-0.481598956002530028702664609916283512", "0.00363039315445959268787016218921339858",
    "0.501803175587231402790845429142876124",  "0.282984026245062548684125543568993946",
    "0.807029678953722238058585595239724907",  "-0.0260905805385922054473907663836996303",
    "-0.872865901463180715468564871962538901", "-0.523735680625105816426270223306495544",
    "0.445218442999527892520328083216479076",  "0.186122895470979078873598907026088734",
    "0.231373278664383606333792782176341090",  "-0.521910365904186289052511715474738101",
    "0.748661137144992967926519490619228973",  "0.0667365118906040575315499035821454104",
    "-0.803603243756708303163881206361930164", "0.912490376358679945708134993289188386",
};

// Free: gamma_1, as published (cut to 36 digits).
inline constexpr std::array<std::string_view, 17> tsitouras10 = {
    "0.452387172243467206175886586074233539",  "0.201750414036764035058286163337901346",
    "-0.615116639060545182658778437156157367", "0.164337549520467291015144024408044324",
    "0.742673314357319863476853599632017372",  "-0.582423447311644594710573905438945741",
    "-0.395006197760920667393122535979679327", "0.207260502885248255938295463000262075",
    "0.190727289600012100160590383689119829",  "0.617877713318069357335731125307019691",
    "-0.197077215139308010137601846510549193", "0.102311291119359873107856328506713150",
    "-0.866485197373761372803661767454208400", "-0.00803583920385358749646880826318191705",
    "0.939801567135683337900037741418097672",  "0.0269001360476896815143742214444168544",
    "-0.963764828828095172965696672030207816",
};

// Free: gamma_7, as published.
inline constexpr std::array<std::string_view, 17> hairer_lubich_wanner10 = {
    "0.0904061936860727849216115009398435062",
    "0.535918159530301202137849834456878122",
    "0.351232575474939781875177357500362652",
    "-0.311168020978158354260865436156314316",
    "-0.525563141942635104310655492123575067",
    "0.144479094102252476473456950857847424",
    "0.02983588609748235818064083",
    "0.177861799237398051335922383891965832",
    "0.0982690693934163765253237732645340188",
    "0.461799862104118608732421262851636060",
    "-0.333778455998818513145318196238543214",
    "0.0709568483652479362103115207300513390",
    "0.236669600701268687719098193659825103",
    "-0.497259779506609854450283876898525557",
    "-0.303996166172372573465463557158214806",
    "0.0524695718810006957452161237093323025",
    "0.443733808050190879551113653425793200",
};

// Free: gamma_11 and gamma_18, as published.
inline constexpr std::array<std::string_view, 18> sofroniou_spaletta10 = {
    "0.0787957225216864192639076793381228115",
    "0.313096103415108527764812471922033597",
    "0.0279183832350780661095202732686212277",
    "-0.229592841593907094151213396799817819",
    "0.130962061077164863174656859288571697",
    "-0.269733405654510714344609732219235793",
    "0.0749733431558914356661371056397392270",
    "0.111993423999810204889575080737008064",
    "0.366133449546226751193148123535531919",
    "-0.399105630136035897878629810583840433",
    "0.10308739852747107731580277",
    "0.411430873955890237820704118977077473",
    "-0.00486636058313526176219565930838127575",
    "-0.392033353708639906448081936428872115",
    "0.0519425029624496470371829045536886612",
    "0.0506650907599244963358743432627812016",
    "0.0496743706397298790545687998169715559",
    "0.04931773575959453791768001",
};

// Free: a_3, a_5 and a_6, sums of the published a_i and b_i of the splitting.
inline constexpr std::array<std::string_view, 6> blanes_moan4 = {
    "0.0792036964311956506899821667304679096",
    "0.130311410182166384886509254276664332",
    "0.2228614958676077",
    "-0.366713269047425735576491421007132242",
    "0.3246481886897062",
    "0.1096884778767498",
};

// Free: a_3, a sum of the published a_i and b_i of the splitting.
inline constexpr std::array<std::string_view, 10> blanes_moan6 = {
    "0.0502627644003925881336327202764867924",
    "0.0985536835006505144820572953513459435",
    "0.3149606169276942",
    "-0.447346482695477557861432668094572873",
    "0.492426372489875491566340688788316158",
    "-0.425118767797690876476183573390070213",
    "0.237063913978121172285382331692229524",
    "0.195602488600052121254389201400466945",
    "0.346358189850728339832964909573259036",
    "-0.362762779254345993217150905597461314",
};

}  // namespace composition_digits

inline constexpr std::array composition_schemes = {
    CompositionScheme{"yoshida4", 4, 3, composition_digits::yoshida4,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, triple jump", false},
    CompositionScheme{"suzuki4", 4, 5, composition_digits::suzuki4,
                      "Suzuki, Phys. Lett. A 146 (1990) 319, fractal", false},
    CompositionScheme{"mclachlan4", 4, 5, composition_digits::mclachlan4,
                      "McLachlan, SIAM J. Sci. Comput. 16 (1995) 151, order 4, 5 stages", false},
    CompositionScheme{"yoshida6a", 6, 7, composition_digits::yoshida6a,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 6, solution A", false},
    CompositionScheme{"yoshida6b", 6, 7, composition_digits::yoshida6b,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 6, solution B", false},
    CompositionScheme{"yoshida6c", 6, 7, composition_digits::yoshida6c,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 6, solution C", false},
    CompositionScheme{"mclachlan6", 6, 9, composition_digits::mclachlan6,
                      "McLachlan, SIAM J. Sci. Comput. 16 (1995) 151, order 6, 9 stages", false},
    CompositionScheme{"kahan-li6a", 6, 9, composition_digits::kahan_li6a,
                      "Kahan & Li, Math. Comp. 66 (1997) 1089, s9odr6a", false},
    CompositionScheme{"kahan-li6b", 6, 9, composition_digits::kahan_li6b,
                      "Kahan & Li, Math. Comp. 66 (1997) 1089, s9odr6b", false},
    CompositionScheme{"yoshida8a", 8, 15, composition_digits::yoshida8a,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 8, solution A", false},
    CompositionScheme{"yoshida8b", 8, 15, composition_digits::yoshida8b,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 8, solution B", false},
    CompositionScheme{"yoshida8c", 8, 15, composition_digits::yoshida8c,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 8, solution C", false},
    CompositionScheme{"yoshida8d", 8, 15, composition_digits::yoshida8d,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 8, solution D", false},
    CompositionScheme{"yoshida8e", 8, 15, composition_digits::yoshida8e,
                      "Yoshida, Phys. Lett. A 150 (1990) 262, order 8, solution E", false},
    CompositionScheme{"suzuki-umeno8", 8, 15, composition_digits::suzuki_umeno8,
                      "Suzuki & Umeno, Springer Proc. Phys. 76 (1993) 74; McLachlan (1995)", false},
    CompositionScheme{"mclachlan8-17", 8, 17, composition_digits::mclachlan8_17,
                      "McLachlan, SIAM J. Sci. Comput. 16 (1995) 151, order 8, 17 stages", false},
    CompositionScheme{"kahan-li8a", 8, 17, composition_digits::kahan_li8a,
                      "Kahan & Li, Math. Comp. 66 (1997) 1089, s17odr8a", false},
    CompositionScheme{"kahan-li8b", 8, 17, composition_digits::kahan_li8b,
                      "Kahan & Li, Math. Comp. 66 (1997) 1089, s17odr8b", false},
    CompositionScheme{"taut8", 8, 19, composition_digits::taut8,
                      "19 stages of least error coefficients, docs/theory/composition.md", false},
    CompositionScheme{"kahan-li10", 10, 31, composition_digits::kahan_li10,
                      "Kahan & Li, Math. Comp. 66 (1997) 1089, s31odr10a", false},
    CompositionScheme{"tsitouras10", 10, 33, composition_digits::tsitouras10,
                      "Tsitouras, Celest. Mech. Dyn. Astron. 74 (1999) 223", false},
    CompositionScheme{"hairer-lubich-wanner10", 10, 33, composition_digits::hairer_lubich_wanner10,
                      "Hairer, Lubich & Wanner, Geometric Numerical Integration, 1st ed. (2002), V.3", false},
    CompositionScheme{"sofroniou-spaletta10", 10, 35, composition_digits::sofroniou_spaletta10,
                      "Sofroniou & Spaletta, Optim. Methods Softw. 20 (2005) 597", false},
    CompositionScheme{"blanes-moan4", 4, 6, composition_digits::blanes_moan4,
                      "Blanes & Moan, J. Comput. Appl. Math. 142 (2002) 313, S6", true},
    CompositionScheme{"blanes-moan6", 6, 10, composition_digits::blanes_moan6,
                      "Blanes & Moan, J. Comput. Appl. Math. 142 (2002) 313, S10", true},
};

struct CompositionAlias {
  std::string_view alias;
  std::string_view name;
};

inline constexpr std::array composition_aliases = {
    CompositionAlias{"yoshida6", "yoshida6a"},
    CompositionAlias{"yoshida8", "yoshida8d"},  // the smallest local error of the five on a pendulum
    CompositionAlias{"mclachlan8", "suzuki-umeno8"},
    CompositionAlias{"kahan-li6", "kahan-li6a"},
    CompositionAlias{"kahan-li8", "kahan-li8a"},
};

// Returns the scheme of that name or alias, or nullptr.
constexpr const CompositionScheme* find_composition(std::string_view name) {
  for (const CompositionAlias& a : composition_aliases) {
    if (a.alias == name) name = a.name;
  }
  for (const CompositionScheme& s : composition_schemes) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

// Returns the whole sequence, in the order in which the steps are taken.
template <class T>
std::vector<T> coefficients(const CompositionScheme& scheme) {
  std::vector<T> all;
  all.reserve(scheme.size());
  for (const __float128 c : scheme.made) all.push_back(static_cast<T>(c));
  if (!all.empty()) return all;
  for (const std::string_view text : scheme.half) all.push_back(parse_decimal<T>(text));
  for (std::size_t i = scheme.size() - scheme.half.size(); i-- > 0;) all.push_back(all[i]);
  return all;
}

namespace composition_digits {

// Checks the simplest order conditions: the coefficients sum to 1, their odd powers below the order to 0.
// Rounding is relative to the sum of the absolute powers, which is of order 1e4 for the coefficients of
// yoshida8b; ten units in the last place allow one for each factor of a ninth power.
constexpr bool power_sums_hold(const CompositionScheme& scheme) {
  const __float128 tolerance = 2e-33;
  const std::size_t repeated = scheme.size() - scheme.half.size();
  for (int power = 1; power < scheme.order; power += 2) {
    __float128 sum = power == 1 ? -1 : 0;
    __float128 scale = 0;
    for (std::size_t i = 0; i < scheme.half.size(); ++i) {
      const __float128 c = parse_decimal<__float128>(scheme.half[i]);
      __float128 term = i < repeated ? 2 : 1;
      for (int k = 0; k < power; ++k) term *= c;
      sum += term;
      scale += term < 0 ? -term : term;
    }
    if (sum > tolerance * scale || sum < -tolerance * scale) return false;
  }
  return true;
}

constexpr bool all_power_sums_hold() {
  for (const CompositionScheme& s : composition_schemes) {
    if (!power_sums_hold(s)) return false;
  }
  return true;
}

static_assert(all_power_sums_hold());

}  // namespace composition_digits

}  // namespace taut
