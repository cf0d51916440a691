/** zstd, through the system's library or through the one that zstd-jni brings. */
@NullMarked
package dev.weir.compression.zstd;

import org.jspecify.annotations.NullMarked;
