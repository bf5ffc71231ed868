/*
 * cost_of_transfer.c - distances of transactions
 *
 *	held by one core (E, M)	  from there
 *	copies, load		  from the nearest: MESIF's forwarder or a shared cache;
 *				  MESI: memory, unless a copy is in the socket;
 *				  MOESI: the owner, unless a copy is in the cluster
 *	copies, own		  as far as the farthest copy that must be dropped; if that
 *				  is on another socket, `upgrade_remote` times as much
 *	home-bound		  one socket's price if requester, data and home share
 *				  a socket, else the remote one: even when the data
 *				  has come into the requester's cluster meanwhile
 */
#include "machine/virtual/cost_of_transfer.h"

u64
memory_ps(int home, int socket)
{
	return home == socket ? model.spec.dram_local_ps : model.spec.dram_remote_ps;
}

static enum distance
nearest_copy(struct shared_line *line, const struct place *place)
{
	if (line_held_by(line, place->core))
		return DISTANCE_SMT;
	if (holders_in_cluster(line)[place->cluster])
		return DISTANCE_CLUSTER;
	return holders_in_socket(line)[place->socket] ? DISTANCE_SOCKET : DISTANCE_REMOTE;
}

static enum distance
farthest_copy(struct shared_line *line, const struct place *place)
{
	u16 in_socket = holders_in_socket(line)[place->socket];

	if (line->holders > in_socket)
		return DISTANCE_REMOTE;
	return in_socket > holders_in_cluster(line)[place->cluster] ? DISTANCE_SOCKET
								    : DISTANCE_CLUSTER;
}

static enum distance
route(const struct shared_line *line, const struct waiter *waiter, enum distance distance)
{
	if (!waiter->home_bound)
		return distance;
	if (distance == DISTANCE_REMOTE || line->home != waiter->cpu->place.socket)
		return DISTANCE_REMOTE;
	return DISTANCE_SOCKET;
}

static struct transfer
copy_to_loader(struct shared_line *line, const struct waiter *waiter)
{
	const struct place *place = &waiter->cpu->place;
	enum distance distance = nearest_copy(line, place);
	bool from_memory = false;

	switch (model.spec.protocol) {
	case PROTOCOL_MESI:
		from_memory = distance == DISTANCE_REMOTE;
		break;
	case PROTOCOL_MOESI:
		if (distance == DISTANCE_CLUSTER)
			break;
		from_memory = line->state != LINE_OWNED;
		distance = topology_distance(&topology.place[line->owner], place);
		break;
	case PROTOCOL_MESIF:
		break;
	}
	if (from_memory) {
		distance = line->home == place->socket ? DISTANCE_SOCKET : DISTANCE_REMOTE;
		return (struct transfer){ distance, memory_ps(line->home, place->socket) };
	}
	distance = route(line, waiter, distance);
	return (struct transfer){ distance, model.spec.transfer_ps[distance] };
}

struct transfer
transfer_of(struct shared_line *line, const struct waiter *waiter)
{
	const struct place *place = &waiter->cpu->place;
	enum distance distance;
	u64 times = 1;

	if (line->state >= LINE_EXCLUSIVE) {
		distance = topology_distance(&topology.place[line->owner], place);
	} else if (waiter->request == REQUEST_SHARED) {
		return copy_to_loader(line, waiter);
	} else {
		distance = farthest_copy(line, place);
		if (distance == DISTANCE_REMOTE)
			times = model.spec.upgrade_remote;
	}
	distance = route(line, waiter, distance);
	return (struct transfer){ distance, model.spec.transfer_ps[distance] * times };
}
