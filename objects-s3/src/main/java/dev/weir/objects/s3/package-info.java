/** Objects in an S3-compatible service. */
@NullMarked
package dev.weir.objects.s3;

import org.jspecify.annotations.NullMarked;
