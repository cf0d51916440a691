package dev.weir.streams;

import org.jspecify.annotations.Nullable;

/**
 * What a writer asks for, besides the bytes.
 *
 * @param contentType null only for a request without bytes
 * @param closes whether the stream ends with this append
 * @param sequence {@code Stream-Seq}: must rise, compared byte by byte; null to leave it out
 * @param producer for appends that may be repeated safely; null to leave it out
 */
public record AppendRequest(
    String path,
    @Nullable String contentType,
    boolean closes,
    @Nullable String sequence,
    @Nullable ProducerTag producer) {}
