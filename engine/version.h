/*
 * version.h - which program this is
 */
#ifndef ENGINE_VERSION_H
#define ENGINE_VERSION_H

#define ENGINE_VERSION "0.1.0"

#if defined(__SANITIZE_ADDRESS__)
#define ENGINE_VARIANT "asan"
#elif defined(__SANITIZE_THREAD__)
#define ENGINE_VARIANT "tsan"
#elif defined(__OPTIMIZE__)
#define ENGINE_VARIANT "release"
#else
#define ENGINE_VARIANT "debug"
#endif

#ifdef __clang__
#define ENGINE_COMPILER __VERSION__
#else
#define ENGINE_COMPILER "gcc " __VERSION__
#endif

/* Compiler and variant: what else may change a virtual result's bytes. */
#define ENGINE_BUILD ENGINE_COMPILER " " ENGINE_VARIANT

#endif
