/* Scenarios in Lua for C programs: the studies that a script returns.
 *
 * These functions are in a separate library, libvida_lua, which needs Lua 5.4 (CMake:
 * vida::lua; pkg-config: vida_lua). <vida/vida.h> does not include this header. */
#ifndef VIDA_SCENARIO_H
#define VIDA_SCENARIO_H

#include <vida/error.h>
#include <vida/export.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A script that has been run, with its Lua state and everything that it created. Only one thread at
 * a time may use it and its studies; different scenarios are independent of each other. */
typedef struct VidaScenario VidaScenario;

/* Runs a script and finds the comparisons that it returns.
 *   path      the file of the script; `require` also finds scripts in its folder
 *   settings  values of vida.setting and options of comparisons, each "name=value", as the command
 *             takes them with --set; ends with NULL. Nullable: none
 * The script runs as in the command: the module is `require "vida"`, undeclared global variables
 * are errors, and print writes to stderr; os.exit raises an error. It runs in a sandbox: it reads
 * files of its own folder and writes none, starts no process, and its instructions and its memory
 * have generous limits. The caller owns *scenario and frees it with
 * VidaScenario_Destroy. Fails with VIDA_BAD_ARGUMENT for an error in the script, with its file and
 * line; for a script that returns no comparison; and for a setting without "=" or that nothing
 * uses. Fails with VIDA_INPUT_OUTPUT if the file cannot be read. */
VIDA_API int VidaScenario_Load(const char* path, const char* const* settings,
                               VidaScenario** scenario, VidaError* error);
/* The same without a sandbox: the script has the rights of the program. Load only what you trust.
 */
VIDA_API int VidaScenario_LoadTrusted(const char* path, const char* const* settings,
                                      VidaScenario** scenario, VidaError* error);
/* Frees a scenario with its studies and systems, and sets *scenario to NULL; NULL is allowed. */
VIDA_API void VidaScenario_Destroy(VidaScenario** scenario);

/* Returns the number of comparisons, at least 1; 0 for NULL. */
VIDA_API int VidaScenario_StudyCount(const VidaScenario* scenario);
/* Returns a comparison by its index, for VidaStudy_Run and the functions of reports; NULL for an
 * index out of range. It belongs to the scenario: the caller does not destroy it. */
VIDA_API VidaStudy* VidaScenario_Study(const VidaScenario* scenario, int index);

#ifdef __cplusplus
}
#endif
#endif
