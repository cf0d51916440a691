/** What all caches hand out: slices of memory that their readers hold. */
@NullMarked
package dev.weir.cache;

import org.jspecify.annotations.NullMarked;
