/** An object store as what a block cache fetches pages from. */
@NullMarked
package dev.weir.streams.objects.block;

import org.jspecify.annotations.NullMarked;
