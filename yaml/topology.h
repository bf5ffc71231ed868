/*
 * topology.h - the shape of a machine, from hwloc's one-line notation
 */
#ifndef YAML_TOPOLOGY_H
#define YAML_TOPOLOGY_H

#include "machine/spec.h"

/*
 * Fill in the four counts of @spec from a synthetic description such as
 * "pack:2 l3:12 core:8 pu:2". A cluster is what shares an L3; without one, the
 * whole socket. Return: NULL, or what is wrong with it.
 */
const char *topology_parse(const char *synthetic, struct machine_spec *spec);

#endif
