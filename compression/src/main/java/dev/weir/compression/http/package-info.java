/** Handlers that compress responses and decompress requests of HTTP. */
@NullMarked
package dev.weir.compression.http;

import org.jspecify.annotations.NullMarked;
