package dev.weir.streams;

/**
 * Where a fork branched off.
 *
 * @param sourceId the source stream's number
 * @param anchorOffset the offset that the creator named, or {@link CreateRequest.ForkRequest#TAIL}
 * @param subOffset what the creator added to it: bytes, or JSON messages
 */
public record ForkOrigin(long sourceId, long anchorOffset, long subOffset) {}
