/* The C interface of taut: constrained Hamiltonian systems q' = H_p, p' = -H_q - G'λ, 0 = g(q).
 *
 * Every function that can fail returns a status. A status that is not TAUT_OK comes with a sentence for people
 * (taut_last_error) and with the same as JSON (taut_last_error_json), both of the calling thread.
 *
 * Options and results are the JSON that the program `taut` speaks: the keys of an option are the flags of the
 * command line without the dashes in front ("step", "project-start"; "project_start" is the same key), and the
 * summaries are those of `--json`. Options may be NULL or "" for none. Texts are UTF-8 and end with a zero.
 *
 * Numbers are arrays of double. A taut_view shows memory that a handle owns, without a copy: it is valid until
 * the handle is freed, unless a function says otherwise. Texts that a function hands out through a char** are
 * the caller's, and are given back with taut_free.
 *
 * The library prints nothing, ends no process, handles no signal and throws nothing across this border. A
 * model may be used by several threads at a time; a run, a stepper and an ensemble by one thread at a time.
 *
 * The guide is docs/guide/c-interface.md, and an example is examples/c/pendulum.c. */
#ifndef TAUT_H
#define TAUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number changes when a program that was compiled with an older header could not go on. */
#define TAUT_ABI_VERSION 1

#if defined(__GNUC__)
#define TAUT_API __attribute__((visibility("default")))
#else
#define TAUT_API
#endif

/* ---- Status and errors ------------------------------------------------------------------------------------ */

typedef enum taut_status {
  TAUT_OK = 0,
  TAUT_FAILED = 1,    /* a solve failed, or the energy was lost; what there is up to there is handed out */
  TAUT_BAD_INPUT = 2, /* the model or the options are wrong */
  TAUT_STOPPED = 3,   /* the caller's flag said so; what there is up to there is handed out */
  TAUT_BAD_CALL = 4,  /* a pointer is null, or an argument makes no sense */
  TAUT_NO_MEMORY = 5,
  TAUT_INTERNAL = 6 /* an error of the library itself */
} taut_status;

/* Returns the ABI number of the library, which must be TAUT_ABI_VERSION of the header. */
TAUT_API int taut_abi_version(void);
/* Returns the version, "0.1.0". */
TAUT_API const char* taut_version(void);
/* Returns the sentence of the last call of this thread that failed; "" if none did. It is valid until the next
 * call that fails in this thread. */
TAUT_API const char* taut_last_error(void);
/* Returns the same as a JSON object: {"status", "kind", "sentence"}; "kind" is "model" for errors in a model's
 * text, which have "errors": [{"origin", "line", "column", "sentence"}], and otherwise "input", "choice" (which
 * has "key"), "failed", "stopped", "call", "memory", "write" or "internal". */
TAUT_API const char* taut_last_error_json(void);
/* Gives a text or bytes back; NULL is allowed. */
TAUT_API void taut_free(char* text);

/* ---- Lists ------------------------------------------------------------------------------------------------ */

/* Lists the methods, as `taut methods --json`. */
TAUT_API int taut_methods(char** json);
/* Lists the models that come with the library, as `taut problems --json`. */
TAUT_API int taut_problems(char** json);

/* ---- Views ------------------------------------------------------------------------------------------------ */

/* An array of double. Element (i, j, k) is at (char*)data + i*strides[0] + j*strides[1] + k*strides[2]. */
typedef struct taut_view {
  double* data;
  int64_t rank;       /* 1, 2 or 3 */
  int64_t shape[3];   /* numbers of elements; 1 beyond the rank */
  int64_t strides[3]; /* in bytes; 0 beyond the rank */
} taut_view;

/* ---- Models ----------------------------------------------------------------------------------------------- */

typedef struct taut_model taut_model;

/* Opens a model: the name of one that comes with the library, or the path of a file (with a `/` or the ending
 * .toml). Options: {"set": {"L": 2.0, "x": "sqrt(0.5)", "run.step": 0.1}}. */
TAUT_API int taut_model_open(const char* name_or_path, const char* options_json, taut_model** model);
/* Reads the text of a model (TOML). `name` is what messages call it, `folder` is where the files are that it
 * names; both may be NULL. Options as above, and "files": {PATH: TEXT}, the files themselves, which are then looked for
 * nowhere else; taut_model_describe lists them. */
TAUT_API int taut_model_parse(const char* text, const char* name, const char* folder,
                              const char* options_json, taut_model** model);
/* Frees the model; NULL is allowed. Runs, steppers and ensembles that were made from it stay valid. */
TAUT_API void taut_model_free(taut_model* model);
/* A function of the caller in the place of a formula: it writes its values to out. q, p and v have a number for each
 * coordinate; p is given to the functions of H alone, and the direction v to H_pp_v alone. It is called in the thread of
 * the call that needs it. */
typedef void (*taut_function)(const double* q, const double* p, const double* v, double* out);
typedef struct taut_functions {
  taut_function V, grad_V; /* one number, n numbers: together, for a model with mass and potential */
  taut_function H, H_q, H_p,
      H_pp_v;         /* one number, n, n, n: together, for a model with a hamiltonian of its own */
  taut_function g, G; /* m numbers, and m x n row by row: together */
} taut_functions;
/* Puts functions in the place of formulas of the model; NULL leaves a formula. The text keeps the names, the number of
 * constraints, masses and the start. It is called before anything is made from the model. Such a model runs in double
 * precision, interpreted, and not into a folder; further derivatives are central differences. It has no ensembles. */
TAUT_API int taut_model_set_functions(taut_model* model, const taut_functions* functions);
/* Describes the model: {"name", "title", "text", "set", "form", "tier", "particles", "coordinates", "momenta",
 * "parameters": {NAME: value}, "definitions": {NAME: formula}, "hamiltonian" or "potential" and "mass",
 * "constraints": [{"name", "formula"}], "velocity_constraints": how many of them, the last ones, are on velocities,
 * "start": {"q", "p"}, "quantities": {NAME: formula}, "settable",
 * "methods": names that fit, "run": the defaults, "timed": whether the last coordinate is the time, "forces": [{"on",
 * "force"}], "events": [{"name", "when", "direction", "do"}], "latex": {"hamiltonian" or "lagrangian" or "kinetic" or "mass", "potential", "constraints", "definitions",
 * "forces"}}. If the model has functions of the caller, there is "functions": true, and no formulas. */
TAUT_API int taut_model_describe(taut_model* model, char** json);

/* Says how many numbers taut_evaluate gives for each state: rows × columns; a vector has one column, and a
 * number one row too. */
TAUT_API int taut_evaluate_shape(taut_model* model, const char* what, int64_t* rows, int64_t* columns);
/* Evaluates at `count` states. `what` is "H", "V", "H_q", "H_p", "g", "G" (row by row), "GHp" or "lambda" (the
 * multiplier λ(q, p), NaN if the constraints are dependent there). The strides are the bytes from one state to
 * the next, and the n numbers of a state are next to each other. p may be NULL for "V", "g" and "G". `out` has
 * room for count × rows × columns numbers. */
TAUT_API int taut_evaluate(taut_model* model, const char* what, int64_t count, const double* q,
                           int64_t q_stride, const double* p, int64_t p_stride, double* out);
/* Brings `count` states onto the manifold, in place: q and p are count × n, row by row. `moved` may be NULL;
 * otherwise it has count × 2 numbers, the largest change of a coordinate and of a momentum, NaN for a state
 * that was not moved because no point of the manifold was found near it. Then the status is TAUT_FAILED. */
TAUT_API int taut_project(taut_model* model, int64_t count, double* q, double* p, double* moved);

/* ---- Runs ------------------------------------------------------------------------------------------------- */

typedef struct taut_run taut_run;

/* What a caller wants to know while something runs, and how to end it. All may be NULL. The functions are called in
 * the thread of the call, and may set `stop`. */
typedef struct taut_watch {
  void* user;
  /* Called some ten times a second: steps done and wanted, both 0 if nobody knows how many there will be; seconds left
   * (negative: not known yet). */
  void (*progress)(void* user, int64_t done, int64_t wanted, double seconds_left);
  /* Called before a compiler works for the run, and for sentences that the user should read. */
  void (*note)(void* user, const char* sentence);
  /* If it becomes other than 0, the run ends after the step that is being made. */
  const volatile int* stop;
} taut_watch;

/* Runs a model, as `taut run`. Options: "method", "formulation", "projection", "projection-tolerance", "step",
 * "steps" or "until", "every", "tolerance", "solver", "backend", "precision", "threads", "project-start",
 * "plain-updates", "lambda", "local-error", "first-guess", "stop-rule", "error-tolerance", "on-failure",
 * "on-jump", "out", "overwrite", "format", "checkpoint-every", "step-function", "shortest-step", "longest-step",
 * "interval", "events": "when=x, direction=up, do=stop" or {"when", "direction", "do", "name"} or a list of these, "at":
 * [times], "set": {NAME: value}, "quantities": {NAME: formula}, "start": {"q": [...], "p": [...]} or
 * {"x": 0.6, "p_y": 1}, and "samples": false to keep none in memory.
 * If the status is TAUT_OK, TAUT_FAILED or TAUT_STOPPED, *run is the result as far as it went, or NULL if nothing had
 * begun: a file could not be written, or the caller stopped while a compiler worked. Otherwise it is NULL. */
TAUT_API int taut_run_make(taut_model* model, const char* options_json, const taut_watch* watch,
                           taut_run** run);
TAUT_API void taut_run_free(taut_run* run);
/* Gives the object of `taut run --json`. If the run failed or was stopped, it has "error", a sentence, and
 * "failure": {"kind", "step", "time", "stage", "residual", "iterations", "constraint", "constraint_name",
 * "sentence"}. */
TAUT_API int taut_run_summary(taut_run* run, char** json);
/* Lists the names that taut_run_view takes: {"coordinates", "momenta", "columns"}. */
TAUT_API int taut_run_columns(taut_run* run, char** json);
/* Goes on with a run in the folder that "out", or `taut run --out`, has made, to the bits of a run that was not
 * interrupted, as `taut resume`. Options: "previous", "new-samples", "checkpoint-every", "on-failure", "on-jump",
 * "threads", "backend". The samples are in the folder; *json is the summary of the whole run if the status is TAUT_OK,
 * TAUT_FAILED or TAUT_STOPPED, and NULL otherwise. A run that is finished gives its summary. */
TAUT_API int taut_run_resume(const char* folder, const char* options_json, const taut_watch* watch, char** json);
/* Shows the samples: "t", "energy" (samples); "q", "p" (samples × n); "residual" (samples × 2: max |g|, max |G H_p|);
 * "lambda" (samples × m); a coordinate, a momentum, or a further column by its name (samples). */
TAUT_API int taut_run_view(taut_run* run, const char* name, taut_view* view);
/* Makes the report of the run from its samples: one page of HTML with plots and an animation. */
TAUT_API int taut_run_report(taut_run* run, char** html);
/* Gives the plots of the energy error and of the residuals: {"energy": "<svg …", "residual": "<svg …"}. */
TAUT_API int taut_run_figures(taut_run* run, char** json);

/* ---- Steppers --------------------------------------------------------------------------------------------- */

typedef struct taut_stepper taut_stepper;

/* Makes a stepper: a method on a model, one step at a time. Options as for taut_run_make, without those about the
 * length of a run and its samples. The steps have the bits of taut_run_make with the same backend; if none is named,
 * formulas are interpreted. A model whose events stop or reflect is refused, because a stepper looks for no events;
 * with "without-events": true the steps are those of the model without them. */
TAUT_API int taut_stepper_new(taut_model* model, const char* options_json, taut_stepper** stepper);
TAUT_API void taut_stepper_free(taut_stepper* stepper);
/* Makes n steps. If one fails, the status is TAUT_FAILED, and the stepper stands at the last good state. */
TAUT_API int taut_stepper_step(taut_stepper* stepper, int64_t n);
/* Shows the state: "t" and "energy" (one number), "q", "p" (n numbers), "residual" (max |g|, max |G H_p|). The views
 * follow the steps. The caller may write to q and p, and calls taut_stepper_restart afterwards. */
TAUT_API int taut_stepper_view(taut_stepper* stepper, const char* name, taut_view* view);
/* Begins anew at what stands in q and p; the time goes on. If that is off the manifold it is refused, or moved onto
 * it with "project-start": true. After a refusal the stepper is as it was, and q and p are the old ones. */
TAUT_API int taut_stepper_restart(taut_stepper* stepper);
/* Gives {"method", "step", "steps", "time", "backend", "energy": {"initial", "final", "max_error"}, "residual",
 * "newton", "gradients"}; energies and counts are those since the stepper was made or restarted. */
TAUT_API int taut_stepper_summary(taut_stepper* stepper, char** json);
/* Saves all that the next step depends on. A stepper of the same model, method and step that is restored from these
 * bytes goes on with the same bits. The bytes are given back with taut_free. */
TAUT_API int taut_stepper_save(taut_stepper* stepper, char** bytes, size_t* size);
/* Restores it. Bytes that are damaged, or of another model, method or step, are refused with TAUT_BAD_INPUT, and the
 * stepper is as it was. */
TAUT_API int taut_stepper_restore(taut_stepper* stepper, const char* bytes, size_t size);

/* ---- Ensembles -------------------------------------------------------------------------------------------- */

typedef struct taut_ensemble taut_ensemble;

/* Runs many trajectories, as `taut ensemble`. Options: those of a run, and "vary": {"L": "linspace(1, 2, 100)",
 * "x": "normal(0.6, 1e-3)", "y": [1, 2, 3]}, "size", "seed", "grid", "lanes", "threads" (of which each makes
 * trajectories), "device" ("cpu" or "gpu"), "covariance"; "every" keeps samples. Starts and parameters of one's own stand in `table`, rows ×
 * columns, row by row, with a name (of a parameter, a coordinate or a momentum) for each column; it may be NULL.
 * "out" keeps the ensemble in a folder too. A trajectory that fails is counted, and is not the end of the ensemble. If
 * all fail, the status is TAUT_FAILED and *ensemble is the result. */
TAUT_API int taut_ensemble_make(taut_model* model, const char* options_json, const char* const* column_names,
                                int64_t columns, const double* table, int64_t rows, const taut_watch* watch,
                                taut_ensemble** ensemble);
TAUT_API void taut_ensemble_free(taut_ensemble* ensemble);
/* Gives the object of `taut ensemble --json`, with the SHA-256 of all final states. */
TAUT_API int taut_ensemble_summary(taut_ensemble* ensemble, char** json);
/* Lists {"columns": of the ends, "sample_columns": of the samples, "values": the names that vary}. */
TAUT_API int taut_ensemble_columns(taut_ensemble* ensemble, char** json);
/* Lists the trajectories that failed: [{"trajectory", "kind", "words", "time", "steps", "residual", "constraint"}]. */
TAUT_API int taut_ensemble_failures(taut_ensemble* ensemble, char** json);
/* Shows "q", "p" (trajectories × n: the ends), "ends" (trajectories × columns), "samples" (trajectories × samples ×
 * sample columns; NaN after a failure), "values" (trajectories × names: what varied), or one column of the ends. */
TAUT_API int taut_ensemble_view(taut_ensemble* ensemble, const char* name, taut_view* view);

/* ---- Samplings -------------------------------------------------------------------------------------------- */

typedef struct taut_sampling taut_sampling;

/* Draws from a distribution on g = 0, as `taut sample`. Options: "draws", "warmup", "chains", "thin", "seed", "kernel",
 * "measure", "temperature", "step" (fixes the step of the kernel), "accept", "metric", "friction", "max-depth",
 * "inits", "spread", "integrator", "threads", "set", "start", "quantities"; "out" keeps the draws in a folder too. */
TAUT_API int taut_sampling_make(taut_model* model, const char* options_json, const taut_watch* watch,
                                taut_sampling** sampling);
TAUT_API void taut_sampling_free(taut_sampling* sampling);
/* Gives the object of `taut sample --json`: moments, diagnostics, rejections by kind, the SHA-256 of all draws. */
TAUT_API int taut_sampling_summary(taut_sampling* sampling, char** json);
/* Lists {"columns": coordinates and quantities, "statistics": what CmdStan calls lp__, accept_stat__, …}. */
TAUT_API int taut_sampling_columns(taut_sampling* sampling, char** json);
/* Shows "draws" (chains × draws × columns), "statistics" (chains × draws × statistics), or one column by its name
 * (chains × draws). */
TAUT_API int taut_sampling_view(taut_sampling* sampling, const char* name, taut_view* view);
/* Computes a free energy, as `taut free-energy --json`. Options: those of a sampling, "coordinate" (a formula) and
 * "values" (a list of numbers). */
TAUT_API int taut_free_energy(taut_model* model, const char* options_json, const taut_watch* watch, char** json);

/* ---- Analysis ---------------------------------------------------------------------------------------------- */

/* Says what kind of motion a run is, as the commands of that name with --json. `what` is "section" (the model, or the
 * option "events", has an event), "lyapunov" (options "exponents", "block"), "orbit" ("period"), "spectrum" ("of", a column
 * or a list of two; "count", "window") or "indicators" ("vectors", "block", "seed"); and all have the options of a run.
 * If it does not come to its end, the status is TAUT_FAILED, and taut_last_error says why. The progress counts thousandths;
 * if the watch stops it, the status is TAUT_STOPPED and there is no object. */
TAUT_API int taut_analyse(taut_model* model, const char* what, const char* options_json, const taut_watch* watch,
                          char** json);

/* ---- Judgement -------------------------------------------------------------------------------------------- */

/* Measures what a method claims, as `taut check --json`: {"model", "method", "pass", "checks"}. Options: those of a
 * run, and "further". A claim that does not hold is no error: the status is TAUT_OK and "pass" is false. The watch is that
 * of taut_analyse. */
TAUT_API int taut_check(taut_model* model, const char* options_json, const taut_watch* watch, char** json);
/* Compares methods, as `taut compare --json`. Options: those of a run, "methods": [...], and "steps-ladder": [...] and
 * "ladder-time" for the errors against a reference. */
TAUT_API int taut_compare(taut_model* model, const char* options_json, const taut_watch* watch, char** json);

#ifdef __cplusplus
}
#endif

#endif
