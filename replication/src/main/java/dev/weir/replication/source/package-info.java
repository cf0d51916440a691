/** Containers on the side that has them: walks, manifests, and where their bytes lie. */
@NullMarked
package dev.weir.replication.source;

import org.jspecify.annotations.NullMarked;
