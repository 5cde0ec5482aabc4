/* Contacts of a system, and variants of the system in which some of them are closed.
 *
 * A contact has a normal row, its gap, and nonholonomic rows, its slip velocities. They are derived
 * as the rows of constraints are, and kept aside: the system itself does not have them. A variant
 * of the system has those that are asked for. */
#ifndef VIDA_SYSTEM_CONTACTS_CONTACTS_H
#define VIDA_SYSTEM_CONTACTS_CONTACTS_H

#include <vida/contact.h>

#include "system/mechanics/vector.h"
#include "system/model/model.h"

typedef struct vida_contact {
  const char* name; /* among the system's names */
  double restitution, friction;
  int slip_count;
  bool is_coupling, is_engaged; /* a coupling, whose normal row holds a value; at the start */
  double strength;              /* of a coupling */
  bool has_multiplier;          /* a force may depend on that of its normal row: */
  int multiplier; /* its number in multiplier_rows, with the row -1 where the contact is open */
  int first_row;  /* its normal row among the rows of contacts; the slip rows follow */
  /* Rows behind them, as many as slip rows or none: holonomic rows whose rates are the slip
   * velocities, for a contact that sticks. */
  int displacement_count;
  /* With friction: the forces of sliding, for both signs along each component. */
  vida_term_batch sliding[2 * VIDA_SLIP_MOST];
} vida_contact;

/* The members of a system that hold rows; exchanged while contacts are added. */
typedef struct vida_row_set {
  int constraint_batch_count;
  size_t constraint_batch_capacity;
  vida_constraint_batch* constraint_batches;
  int last_constraint_batch;
  int row_count;
  size_t row_capacity;
  vida_row* rows;
  vida_string_table row_names;
  int link_count;
  size_t link_capacity;
  vida_link* links;
  bool time_dependent, nonholonomic;
} vida_row_set;

struct vida_contacts {
  int count;
  size_t capacity;
  vida_contact* list;
  vida_string_table names;
  vida_row_set set; /* the rows of all contacts */
};
typedef struct vida_contacts vida_contacts;

/* What a variant has of a contact: flags. */
enum {
  VIDA_CONTACT_NORMAL = 1, /* its normal row */
  VIDA_CONTACT_STICK = 2,  /* its slip rows */
  /* The friction of sliding along the first slip velocity, or with SECOND along the second one
   * (the axis that is larger); with BACKWARD where that is negative. */
  VIDA_CONTACT_SLIDE = 4,
  VIDA_CONTACT_SECOND = 8,
  VIDA_CONTACT_BACKWARD = 16,
  VIDA_CONTACT_PLACE = 32 /* its rows of displacements, which a contact that sticks keeps */
};

/* Creates a system with the terms and rows of `base`, followed by those rows of its contacts that
 * `flags` (one number per contact: a sum of VIDA_CONTACT_...) selects: contact by contact the
 * normal row, then the slip rows, then the rows of displacements; and by the friction of contacts
 * that slide. The variant is complete, has no contacts, no events and no drawing, and shares with
 * `base`, which must outlive it, what is the same; also the values of parameters, which nobody may
 * set meanwhile, but not those that its displacements and couplings keep
 * (vida__set_displacement). first_row (nullable, one per contact) receives the index of the first
 * of its rows, or -1. The caller frees it with VidaSystem_Destroy. `base` must be complete, and no
 * variant. Fails with VIDA_OUT_OF_MEMORY, and where the rows cannot be analysed. */
int vida__variant_create(const VidaSystem* base, const unsigned char* flags, VidaSystem** variant,
                         int* first_row, VidaError* error);
/* Creates the system that has only the rows of all contacts of `base`: no terms, no constraints and
 * no matrix. Only values and derivatives of its rows may be evaluated. */
int vida__contact_system_create(const VidaSystem* base, VidaSystem** rows, VidaError* error);
/* Frees what belongs to a variant; for VidaSystem_Destroy. */
void vida__variant_release(VidaSystem* variant);

/* Exchanges the rows of the system with those of its contacts: while they are exchanged, functions
 * that add constraints add to the contacts. */
void vida__exchange_rows(VidaSystem* system);
/* Adds a holonomic row g - p with a parameter p of its own, 0 at first, for the expression `g`;
 * unit: that of g (friction.c). */
int vida__add_held_row(VidaSystem* system, const char* name, const char* unit, int g,
                       VidaError* error);
/* Returns the unit of the gap of a contact: "m", or "rad" for limits of hinges (contacts.c). */
const char* vida__gap_unit(const VidaSystem* system, int contact);
/* Fails with VIDA_INCONSISTENT_START because the gap of a contact is negative at the start
 * (contacts.c). */
int vida__fail_negative_gap(const VidaSystem* system, int contact, double gap, double t,
                            VidaError* error);
/* Returns the name of the first coupling of a system; NULL if it has none. */
const char* vida__first_coupling(const VidaSystem* system);
/* Adds the rows of the displacements of a contact, if its slip velocities are rates of linear
 * functions of positions; *count receives their number. The rows are those of the contacts
 * (exchanged) (friction.c). */
int vida__add_displacements(VidaSystem* system, const VidaContact* contact, int* count,
                            VidaError* error);
/* Derives the forces of a contact with friction that slides; `index`: that of the contact, whose
 * record exists. Does nothing without friction (friction.c). */
int vida__add_sliding(VidaSystem* system, const VidaContact* contact, int index, VidaError* error);
/* Returns the force of a contact with these flags of a variant; NULL: it does not slide
 * (friction.c). */
const vida_term_batch* vida__sliding_term(const vida_contact* contact, unsigned char flags);
/* Returns the name of the first contact with friction that has no force of sliding, which are those
 * of shapes; NULL if there is none (friction.c). */
const char* vida__first_rough_shape(const VidaSystem* system);
/* Frees the forces of sliding (friction.c). */
void vida__sliding_destroy(vida_contact* contact);
/* Sets the value that the displacement or the coupling of this row of a variant keeps (friction.c).
 */
void vida__set_displacement(VidaSystem* variant, int row, double place);
/* Returns this value; 0 for another row (friction.c). */
double vida__displacement(const VidaSystem* variant, int row);
/* Refuses a contact whose name is not new, or whose numbers have no meaning. */
int vida__check_contact(const VidaSystem* system, const VidaContact* contact, VidaError* error);
/* Refuses a shape in dimension 1 (shapes.c). */
int vida__check_contact_dimension(const VidaSystem* system, const char* name, VidaError* error);
/* Writes orthonormal vectors across the unit vector n: in the plane one, to its right; in space
 * two, those of Duff et al. (2017), which jump only where n_z changes its sign (shapes.c). */
void vida__find_tangents(vida_graph* graph, vida_vector n, vida_vector tangent[2]);
/* Adds the record of a contact whose rows were added from `first_row` on. */
int vida__keep_contact(VidaSystem* system, const VidaContact* contact, int first_row,
                       int displacement_count, int* index, VidaError* error);
/* Finds the number of the multiplier of the normal row of a contact, for expressions of forces
 * (VIDA_INPUT_MULTIPLIER): it is zero in the system itself and in variants in which the contact is
 * open. */
int vida__contact_multiplier(VidaSystem* system, int contact, int* number, VidaError* error);
/* Returns the contacts of a system, and creates them in the first call; NULL without memory. */
vida_contacts* vida__contacts(VidaSystem* system);
/* Removes what an addition that has failed has left: the rows of contacts from number `rows` on and
 * a name, which belong to no contact, and system->contacts if there is none. */
void vida__drop_contact_rows(VidaSystem* system, int rows);
/* Refuses constraints that have the name of a row of a contact; for VidaSystem_Complete. */
int vida__check_contact_names(const VidaSystem* system, VidaError* error);
/* Leaves the momenta of a system that contacts conserve, too: none of a system with more rows of
 * contacts than can be looked at. */
int vida__narrow_momenta(VidaSystem* system, VidaError* error);
/* Frees the contacts of a system and sets *contacts to NULL; NULL is allowed. */
void vida__contacts_destroy(vida_contacts** contacts);

#endif
