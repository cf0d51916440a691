/** How many requests run at once, and when one is tried again. Knows nothing of S3. */
@NullMarked
package dev.weir.objects.s3.retry;

import org.jspecify.annotations.NullMarked;
