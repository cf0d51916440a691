/** Pages of objects in a remote store, fetched once and read ahead. */
@NullMarked
package dev.weir.cache.block;

import org.jspecify.annotations.NullMarked;
