/** What an encoder and a decoder are, whatever the format. */
@NullMarked
package dev.weir.compression.codec;

import org.jspecify.annotations.NullMarked;
