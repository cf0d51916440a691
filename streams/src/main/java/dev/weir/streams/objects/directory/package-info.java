/**
 * Objects as files below a directory, for the threads and the processes of one host.
 *
 * <pre>
 *   DIRECTORY/seg/1/7/42      the object seg/1/7/42
 *   DIRECTORY/~lock           held while an object is replaced or deleted
 *   DIRECTORY/~tmp/{nonce}/   files that are being written, by one store
 * </pre>
 *
 * <p>A file gets its object's name when it is whole and synced: by a link, which fails where there
 * is one, or by a rename.
 */
@NullMarked
package dev.weir.streams.objects.directory;

import org.jspecify.annotations.NullMarked;
