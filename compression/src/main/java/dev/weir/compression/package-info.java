/** Compression for a process: its settings, its contexts, and what it does when memory is short. */
@NullMarked
package dev.weir.compression;

import org.jspecify.annotations.NullMarked;
