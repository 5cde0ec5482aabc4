#include "system/terms/state_switches.h"

#include <stdlib.h>

#include "base/memory.h"
#include "expr/state_switches.h"

static int compile(const vida_graph* graph, int count, const int* output, const int* local,
                   vida_tape** tape) {
  const int code = vida__tape_compile(graph, count, output, tape);
  for (int i = 0; i < (code ? 0 : (*tape)->input_count); i++) {
    vida_tape_input* input = &(*tape)->inputs[i];
    if (input->kind == VIDA_INPUT_POSITION || input->kind == VIDA_INPUT_VELOCITY) {
      input->index = local[input->index];
    }
  }
  return code;
}

int vida__derive_switches(vida_graph* graph, int count, const int* output, const int* local,
                          vida_traced* traced) {
  int* opened = vida__allocate((size_t)count, sizeof *opened);
  int* switches = NULL;
  int found = 0;
  int code =
      opened ? vida__open_switches(graph, count, output, opened, &found, &switches, &traced->wraps)
             : VIDA_OUT_OF_MEMORY;
  if (!code && found > 0) {
    code = compile(graph, found, switches, local, &traced->tape[VIDA_TAPE_SWITCHES]);
    code = code ? code : compile(graph, count, opened, local, &traced->tape[VIDA_TAPE_SWITCHED]);
  }
  free(opened);
  free(switches);
  return code;
}
