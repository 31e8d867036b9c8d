/* A pendulum through the C interface: a run, its numbers, and the same steps one at a time.
 *
 *     cc -std=c99 pendulum.c $(pkg-config --cflags --libs taut) -o pendulum && ./pendulum */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <taut.h>

static const char* const text =
    "[parameters]\n"
    "L = 1.0\n"
    "gravity = 9.81\n"
    "[system]\n"
    "coordinates = [\"x\", \"y\"]\n"
    "mass = [1.0, 1.0]\n"
    "potential = \"gravity*y\"\n"
    "constraints = [\"(x^2 + y^2 - L^2)/2\"]\n"
    "[initial]\n"
    "x = \"L\"\n";

/* Ends the program with the library's sentence if a call failed. */
#define DO(call)                                  \
  do {                                            \
    if ((call) != TAUT_OK) {                      \
      fprintf(stderr, "%s\n", taut_last_error()); \
      return 1;                                   \
    }                                             \
  } while (0)

int main(void) {
  taut_model* model = NULL;
  taut_run* run = NULL;
  taut_stepper* stepper = NULL;
  taut_view t, q, energy, now;
  char* summary = NULL;
  int64_t last, k;
  double drift = 0;

  if (taut_abi_version() != TAUT_ABI_VERSION) {
    fprintf(stderr, "the library is of another version than the header\n");
    return 1;
  }
  DO(taut_model_parse(text, "pendulum", NULL, NULL, &model));

  /* A run: the options are those of `taut run`, the summary is that of `taut run --json`. */
  DO(taut_run_make(model, "{\"method\": \"rattle\", \"step\": 0.01, \"until\": 10, \"every\": 10}", NULL,
                   &run));
  DO(taut_run_summary(run, &summary));
  printf("%s\n", summary);
  taut_free(summary);

  /* The samples are views of memory that the run owns. */
  DO(taut_run_view(run, "t", &t));
  DO(taut_run_view(run, "q", &q));
  DO(taut_run_view(run, "energy", &energy));
  for (k = 0; k < energy.shape[0]; ++k)
    if (fabs(energy.data[k] - energy.data[0]) > drift) drift = fabs(energy.data[k] - energy.data[0]);
  last = q.shape[0] - 1;
  printf("%d samples to t = %g; max |H - H0| = %.1e\n", (int)q.shape[0], t.data[last], drift);

  /* The same steps one at a time have the same bits. */
  DO(taut_stepper_new(model, "{\"method\": \"rattle\", \"step\": 0.01}", &stepper));
  DO(taut_stepper_view(stepper, "q", &now));
  for (k = 0; k < 1000; ++k) DO(taut_stepper_step(stepper, 1));
  printf("the same bits: %s\n",
         memcmp(now.data, (const char*)q.data + last * q.strides[0], 2 * sizeof(double)) == 0 ? "yes" : "no");

  taut_run_free(run);

  /* What is wrong is said in a sentence; no run is handed out then. */
  if (taut_run_make(model, "{\"method\": \"ratle\"}", NULL, &run) == TAUT_BAD_INPUT)
    printf("as expected: %.60s\n", taut_last_error());

  taut_stepper_free(stepper);
  taut_model_free(model);
  return 0;
}
