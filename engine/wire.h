/*
 * wire.h - a sample on its way from a point's child to the parent
 *
 * One frame: magic, length of the body, body. The body is the fields of struct
 * sample in order, integers as eight bytes, strings and arrays with their
 * length before them. Parent and child are the same program on the same
 * computer, so there is no byte order to agree on; but the child may have
 * crashed, so the parent believes nothing: every length and every enumeration
 * is checked before use.
 */
#ifndef ENGINE_WIRE_H
#define ENGINE_WIRE_H

#include "engine/sample.h"

/*
 * Write @sample to @fd as one frame.
 * Return: 0 or -errno. Context: any thread of the child; allocates one buffer.
 */
int wire_send(int fd, const struct sample *sample);

/*
 * Decode the frame in @bytes. Return: true, and @sample filled in (sample_clear()
 * it); false if it is not exactly one well-formed frame, and @sample is clear.
 */
bool wire_decode(const void *bytes, size_t size, struct sample *sample);

#endif
