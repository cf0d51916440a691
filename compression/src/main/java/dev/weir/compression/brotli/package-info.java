/** brotli, where brotli4j is there. */
@NullMarked
package dev.weir.compression.brotli;

import org.jspecify.annotations.NullMarked;
