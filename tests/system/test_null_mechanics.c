/* Bodies and joints with NULL for what must not be NULL: refused by name, or nothing returned. */
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"

enum { NAME_SIZE = 96 };

/* "VidaSystem_AddJoint(NULL, &joint, &error)" is refused as "VidaSystem_AddJoint: system is NULL".
 */
#define REFUSED(argument, call) refused(#call, argument, (call), &error)

static void refused(const char* call, const char* argument, int code, VidaError* error) {
  char expected[NAME_SIZE];
  snprintf(expected, sizeof expected, "%.*s: %s is NULL", (int)strcspn(call, "("), call, argument);
  EXPECT(code == VIDA_BAD_ARGUMENT, "%s returns %d", call, code);
  EXPECT(strcmp(error->message, expected) == 0, "'%s' instead of '%s'", error->message, expected);
  memset(error, 0, sizeof *error);
}

static void test_building(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const VidaPlaneBody plane = {.name = "a", .mass = 1.0, .inertia = 1.0};
  const VidaRod rod = {.name = "b", .mass = 1.0, .length = 1.0};
  const VidaRigidBody rigid = {.name = "c", .mass = 1.0};
  const VidaJoint joint = {.name = "d"};
  const VidaDrive drive = {.name = "e"};
  const VidaAngle angle = {.name = "h"};
  const VidaGuide guide = {.name = "f"};
  const double axis[3] = {1.0, 0.0, 0.0};
  VidaEnd ends[2] = {{0}};
  VidaTriad triads[2];
  REQUIRE_OK(VidaSystem_Create("rig", 2, &s, &error), &error);
  REFUSED("system", VidaSystem_AddPlaneBody(NULL, &plane, NULL, &error));
  REFUSED("given", VidaSystem_AddPlaneBody(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddRod(NULL, &rod, NULL, &error));
  REFUSED("given", VidaSystem_AddRod(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddRigidBody(NULL, &rigid, NULL, &error));
  REFUSED("given", VidaSystem_AddRigidBody(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_EndAt(NULL, 0, axis, ends, &error));
  REFUSED("at", VidaSystem_EndAt(s, 0, NULL, ends, &error));
  REFUSED("end", VidaSystem_EndAt(s, 0, axis, NULL, &error));
  REFUSED("system", VidaSystem_TriadsAlong(NULL, ends, axis, triads, &error));
  REFUSED("ends", VidaSystem_TriadsAlong(s, NULL, axis, triads, &error));
  REFUSED("axis", VidaSystem_TriadsAlong(s, ends, NULL, triads, &error));
  REFUSED("triads", VidaSystem_TriadsAlong(s, ends, axis, NULL, &error));
  REFUSED("system", VidaSystem_AddJoint(NULL, &joint, &error));
  REFUSED("joint", VidaSystem_AddJoint(s, NULL, &error));
  REFUSED("system", VidaSystem_AddLink(NULL, "g", ends, 1.0, &error));
  REFUSED("name", VidaSystem_AddLink(s, NULL, ends, 1.0, &error));
  REFUSED("ends", VidaSystem_AddLink(s, "g", NULL, 1.0, &error));
  REFUSED("system", VidaSystem_AddDrive(NULL, &drive, &error));
  REFUSED("drive", VidaSystem_AddDrive(s, NULL, &error));
  REFUSED("system", VidaSystem_AddAngle(NULL, &angle, &error));
  REFUSED("angle", VidaSystem_AddAngle(s, NULL, &error));
  REFUSED("system", VidaSystem_AddGuide(NULL, &guide, &error));
  REFUSED("guide", VidaSystem_AddGuide(s, NULL, &error));
  const VidaFixedBody fixed = {.name = "i"};
  REFUSED("system", VidaSystem_AddFixedBody(NULL, &fixed, NULL, &error));
  REFUSED("given", VidaSystem_AddFixedBody(s, NULL, NULL, &error));
  double v[3];
  REFUSED("system", VidaSystem_EndStart(NULL, ends, v, &error));
  REFUSED("end", VidaSystem_EndStart(s, NULL, v, &error));
  REFUSED("position", VidaSystem_EndStart(s, ends, NULL, &error));
  REFUSED("system", VidaSystem_DirectionAt(NULL, ends, axis, v, &error));
  REFUSED("end", VidaSystem_DirectionAt(s, NULL, axis, v, &error));
  REFUSED("direction", VidaSystem_DirectionAt(s, ends, NULL, v, &error));
  REFUSED("components", VidaSystem_DirectionAt(s, ends, axis, NULL, &error));
  REFUSED("system", VidaSystem_DirectionStart(NULL, ends, axis, v, &error));
  REFUSED("end", VidaSystem_DirectionStart(s, NULL, axis, v, &error));
  REFUSED("components", VidaSystem_DirectionStart(s, ends, NULL, v, &error));
  REFUSED("direction", VidaSystem_DirectionStart(s, ends, axis, NULL, &error));
  REFUSED("system", VidaSystem_SharePatterns(NULL, s, &error));
  REFUSED("with", VidaSystem_SharePatterns(s, NULL, &error));
  VidaSystem_Destroy(&s);
}

static void test_expressions(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const VidaDrive drive = {.name = "a"};
  const VidaCurve curve = {.name = "b"};
  const VidaParametricCurve path = {.name = "c"};
  const VidaTorque torque = {.name = "d"};
  const VidaEnd ends[2] = {{0}};
  const double direction[3] = {1.0, 0.0, 0.0};
  VidaExpression list[3];
  REQUIRE_OK(VidaSystem_Create("rig", 2, &s, &error), &error);
  REFUSED("system", VidaSystem_AddVariableLink(NULL, "g", ends, 0, &error));
  REFUSED("name", VidaSystem_AddVariableLink(s, NULL, ends, 0, &error));
  REFUSED("ends", VidaSystem_AddVariableLink(s, "g", NULL, 0, &error));
  REFUSED("system", VidaSystem_AddAngleDrive(NULL, &drive, 0, &error));
  REFUSED("drive", VidaSystem_AddAngleDrive(s, NULL, 0, &error));
  REFUSED("system", VidaSystem_AddPrescribedValue(NULL, "g", "m", 0, 0, &error));
  REFUSED("name", VidaSystem_AddPrescribedValue(s, NULL, "m", 0, 0, &error));
  REFUSED("system", VidaSystem_CurvePoint(NULL, list, &error));
  REFUSED("components", VidaSystem_CurvePoint(s, NULL, &error));
  REFUSED("system", VidaSystem_AddCurve(NULL, &curve, &error));
  REFUSED("curve", VidaSystem_AddCurve(s, NULL, &error));
  REFUSED("system", VidaSystem_AddParametricCurve(NULL, &path, &error));
  REFUSED("curve", VidaSystem_AddParametricCurve(s, NULL, &error));
  REFUSED("system", VidaSystem_AddTorque(NULL, &torque, &error));
  REFUSED("torque", VidaSystem_AddTorque(s, NULL, &error));
  REFUSED("system", VidaSystem_EndPosition(NULL, ends, list, &error));
  REFUSED("end", VidaSystem_EndPosition(s, NULL, list, &error));
  REFUSED("position", VidaSystem_EndPosition(s, ends, NULL, &error));
  REFUSED("system", VidaSystem_EndVelocity(NULL, ends, list, &error));
  REFUSED("end", VidaSystem_EndVelocity(s, NULL, list, &error));
  REFUSED("velocity", VidaSystem_EndVelocity(s, ends, NULL, &error));
  REFUSED("system", VidaSystem_EndDirection(NULL, ends, direction, list, &error));
  REFUSED("end", VidaSystem_EndDirection(s, NULL, direction, list, &error));
  REFUSED("direction", VidaSystem_EndDirection(s, ends, NULL, list, &error));
  REFUSED("vector", VidaSystem_EndDirection(s, ends, direction, NULL, &error));
  REFUSED("system", VidaSystem_BodyAngularVelocity(NULL, 0, list, &error));
  REFUSED("angular_velocity", VidaSystem_BodyAngularVelocity(s, 0, NULL, &error));
  REFUSED("system", VidaSystem_BodyAngle(NULL, 0, list, &error));
  REFUSED("angle", VidaSystem_BodyAngle(s, 0, NULL, &error));
  VidaSystem_Destroy(&s);
}

static void test_forces(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const VidaLinkSpring spring = {.name = "a"};
  const VidaLinkDamper damper = {.name = "b"};
  const VidaTorsion torsion = {.name = "c"};
  const VidaRollingDisk disk = {.name = "d"};
  const VidaKnifeEdge edge = {.name = "e"};
  REQUIRE_OK(VidaSystem_Create("rig", 2, &s, &error), &error);
  REFUSED("system", VidaSystem_AddLinkSpring(NULL, &spring, &error));
  REFUSED("spring", VidaSystem_AddLinkSpring(s, NULL, &error));
  REFUSED("system", VidaSystem_AddLinkDamper(NULL, &damper, &error));
  REFUSED("damper", VidaSystem_AddLinkDamper(s, NULL, &error));
  REFUSED("system", VidaSystem_AddTorsionSpring(NULL, &torsion, &error));
  REFUSED("spring", VidaSystem_AddTorsionSpring(s, NULL, &error));
  REFUSED("system", VidaSystem_AddTorsionDamper(NULL, &torsion, &error));
  REFUSED("damper", VidaSystem_AddTorsionDamper(s, NULL, &error));
  REFUSED("system", VidaSystem_AddRollingDisk(NULL, &disk, &error));
  REFUSED("disk", VidaSystem_AddRollingDisk(s, NULL, &error));
  REFUSED("system", VidaSystem_AddKnifeEdge(NULL, &edge, &error));
  REFUSED("edge", VidaSystem_AddKnifeEdge(s, NULL, &error));
  const VidaPlaneContact plane = {.name = "l"};
  const VidaSphereContact spheres = {.name = "m"};
  REFUSED("system", VidaSystem_AddPlaneContact(NULL, &plane, NULL, &error));
  REFUSED("contact", VidaSystem_AddPlaneContact(s, NULL, NULL, &error));
  REFUSED("system", VidaSystem_AddSphereContact(NULL, &spheres, NULL, &error));
  REFUSED("contact", VidaSystem_AddSphereContact(s, NULL, NULL, &error));
  const VidaCurveContact curve = {.name = "n"};
  REFUSED("system", VidaSystem_AddCurveContact(NULL, &curve, NULL, &error));
  REFUSED("contact", VidaSystem_AddCurveContact(s, NULL, NULL, &error));
  VidaSystem_Destroy(&s);
}

static void test_looking(void) {
  double q[12] = {0.0};
  double axes[3][3] = {{0.0}};
  const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  EXPECT(VidaSystem_BodyCount(NULL) == 0, "no system has no bodies");
  EXPECT(!VidaSystem_BodyName(NULL, 0), "nor a name of one");
  EXPECT(VidaSystem_BodyParticle(NULL, 0) == -1, "nor a particle");
  EXPECT(VidaSystem_BodyCoordinate(NULL, 0) == -1, "nor a coordinate");
  EXPECT(VidaSystem_BodyCoordinateCount(NULL, 0) == 0, "nor several");
  EXPECT(!VidaSystem_BodyStart(NULL, 0, q, q), "nor a start");
  EXPECT(!VidaSystem_BodyAxes(NULL, 0, axes), "nor axes");
  Vida_PrincipalAxes(NULL, q, axes);
  Vida_PrincipalAxes(unit, NULL, axes);
  Vida_QuaternionOfMatrix(NULL, q);
  Vida_QuaternionOfMatrix(unit, NULL);
  Vida_DirectionAcross(NULL, q);
  Vida_DirectionAcross(unit[0], NULL);
  EXPECT(q[0] == 0.0 && axes[0][0] == 0.0, "nothing is written where something is NULL");
}

int main(void) {
  static const CheckTest tests[] = {{"building", test_building},
                                    {"expressions", test_expressions},
                                    {"forces", test_forces},
                                    {"looking", test_looking},
                                    {NULL, NULL}};
  return check_main("null mechanics", tests);
}
