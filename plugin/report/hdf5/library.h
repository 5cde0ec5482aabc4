/* The functions of libhdf5 that are used here, found in the library when it is loaded. */
#ifndef VIDA_REPORT_HDF5_LIBRARY_H
#define VIDA_REPORT_HDF5_LIBRARY_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>

#include "report/hdf5/tables.h"

/* The macros of the header call functions of the library, which is not linked. */
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

/* Its header renames this function from version 1.12 on. */
#if H5_VERSION_GE(1, 12, 0)
#define VIDA_LINK_INFO H5Lget_info2
typedef H5L_info2_t vida_link_info;
#else
#undef H5Lget_info
#define VIDA_LINK_INFO H5Lget_info
typedef H5L_info_t vida_link_info;
#endif

/* File systems without locks are no failure. */
#if (H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7) || H5_VERSION_GE(1, 14, 0)
#define VIDA_HDF5_LOCKING(X) X(H5Pset_file_locking)
#else
#define VIDA_HDF5_LOCKING(X)
#endif

/* clang-format off */
#define VIDA_HDF5_SYMBOLS(X)                                                                       \
  VIDA_HDF5_LOCKING(X) X(H5open) X(H5dont_atexit) X(H5get_libversion) X(H5Eget_auto2) X(H5Eset_auto2) X(H5Ewalk2)    \
  X(H5Fcreate) X(H5Fopen) X(H5Fclose) X(H5Fstart_swmr_write)                                       \
  X(H5Pcreate) X(H5Pset_libver_bounds) X(H5Pset_fclose_degree) X(H5Pset_metadata_read_attempts)                         \
  X(H5Pset_obj_track_times) X(H5Pset_link_creation_order) X(H5Pset_chunk) X(H5Pset_shuffle)        \
  X(H5Pset_deflate) X(H5Pset_fletcher32) X(H5Pset_attr_phase_change) X(H5Pset_chunk_cache)         \
  X(H5Pget_layout) X(H5Pget_external_count) X(H5Pget_nfilters) X(H5Pget_filter2) X(H5Pget_chunk)   \
  X(H5Pget_link_creation_order) X(H5Zfilter_avail)                                                 \
  X(H5Gcreate2) X(H5Gopen2) X(H5Gget_info) X(H5Gget_create_plist)                      \
  X(H5Lget_name_by_idx) X(VIDA_LINK_INFO) X(H5Lexists)                                             \
  X(H5Dcreate2) X(H5Dclose) X(H5Dwrite) X(H5Dread) X(H5Dset_extent) X(H5Dflush)                    \
  X(H5Dget_space) X(H5Dget_type) X(H5Dget_create_plist) X(H5Dget_storage_size)                     \
  X(H5Screate) X(H5Screate_simple) X(H5Sselect_hyperslab)                              \
  X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims)                                       \
  X(H5Acreate2) X(H5Aopen) X(H5Aexists) X(H5Awrite) X(H5Aread) X(H5Aget_type)          \
  X(H5Aget_space)                                                                                  \
  X(H5Tcopy) X(H5Tset_size) X(H5Tset_cset) X(H5Tget_class) X(H5Tget_size)              \
  X(H5Tis_variable_str) X(H5Tequal)                                                                \
  X(H5Oopen) X(H5Ocopy) X(H5Iget_type) X(H5Idec_ref)                                                 \
  X(H5T_IEEE_F64LE_g) X(H5T_NATIVE_DOUBLE_g) X(H5T_C_S1_g)                                         \
  X(H5P_CLS_FILE_CREATE_ID_g) X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g)           \
  X(H5P_CLS_DATASET_ACCESS_ID_g) X(H5P_CLS_GROUP_CREATE_ID_g)
/* clang-format on */

/* A pointer to each of them. */
#define VIDA_HDF5_MEMBER(name) __typeof__(name)* name;
typedef struct vida_hdf5_library {
  VIDA_HDF5_SYMBOLS(VIDA_HDF5_MEMBER)
  H5E_auto2_t report; /* how the host has its errors reported */
  void* report_data;
} vida_hdf5_library;
#undef VIDA_HDF5_MEMBER

/* Loads the library and keeps it from printing until vida__leave_hdf5. Until then other threads
 * wait, and so would this one if it entered a second time. After a failure nothing is to be left.
 */
int vida__enter_hdf5(vida_hdf5_library* h5, VidaError* error);
/* Enters again, with the library that has been loaded. */
void vida__reenter_hdf5(vida_hdf5_library* h5);
/* Restores how errors are reported, and lets other threads enter. */
void vida__leave_hdf5(vida_hdf5_library* h5);

/* Writes the innermost error of the library, as " (...)", or "" if there is none. */
void vida__hdf5_reason(const vida_hdf5_library* h5, char* text, size_t size);

/* Closes anything but a file; nothing for a negative number. */
void vida__hdf5_release(const vida_hdf5_library* h5, hid_t object);

/* Returns the access properties of a file: a format whose parts have checksums, and a file that
 * closes what is open in it. The caller closes them. */
hid_t vida__hdf5_access(const vida_hdf5_library* h5);

/* Writes attributes of an object. Returns false after a failure. */
bool vida__hdf5_write_facts(const vida_hdf5_library* h5, hid_t object, int facts,
                            const vida_fact* fact);

#endif
