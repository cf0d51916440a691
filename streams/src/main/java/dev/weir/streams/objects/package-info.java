/**
 * Where a node's history lies: objects under keys, written once and whole, in a directory or an
 * S3-compatible service.
 */
@NullMarked
package dev.weir.streams.objects;

import org.jspecify.annotations.NullMarked;
