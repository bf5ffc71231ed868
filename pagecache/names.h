/*
 * names.h - telling reports what lies in this room's memory
 */
#ifndef PAGECACHE_NAMES_H
#define PAGECACHE_NAMES_H

/* Name struct pages, page contents, zones and wait queues. Context: boot. */
void register_pagecache_namers(void);

#endif
