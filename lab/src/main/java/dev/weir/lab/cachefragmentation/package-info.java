/** {@code lab run cache-fragmentation}: two caches within a limit, under changing loads. */
@NullMarked
package dev.weir.lab.cachefragmentation;

import org.jspecify.annotations.NullMarked;
