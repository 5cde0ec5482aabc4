/* VIDA: variational and energy-momentum integrators beside DAE solvers, on one mechanical model. */
#ifndef VIDA_VIDA_H
#define VIDA_VIDA_H

#include <vida/advice.h>
#include <vida/audit.h>
#include <vida/bodies.h>
#include <vida/check.h>
#include <vida/columns.h>
#include <vida/contact.h>
#include <vida/drawing.h>
#include <vida/error.h>
#include <vida/event.h>
#include <vida/export.h>
#include <vida/expression.h>
#include <vida/forces.h>
#include <vida/joints.h>
#include <vida/kinematics.h>
#include <vida/method.h>
#include <vida/options.h>
#include <vida/report.h>
#include <vida/stepper.h>
#include <vida/study.h>
#include <vida/sweep.h>
#include <vida/system.h>

#endif
