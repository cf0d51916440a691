/** gzip, by the JDK's own library. */
@NullMarked
package dev.weir.compression.gzip;

import org.jspecify.annotations.NullMarked;
