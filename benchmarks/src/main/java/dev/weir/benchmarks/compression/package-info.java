/** Responses of JSON through compressors, beside the bare libraries and Netty's handler. */
@NullMarked
package dev.weir.benchmarks.compression;

import org.jspecify.annotations.NullMarked;
