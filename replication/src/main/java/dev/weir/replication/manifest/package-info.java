/** Manifests: what a container holds, by path, size, mode, holes and checksums. */
@NullMarked
package dev.weir.replication.manifest;

import org.jspecify.annotations.NullMarked;
