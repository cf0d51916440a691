package dev.weir.streams.manifest;

/**
 * Where a fork branched off. Bytes before {@code pointOffset} are read from the source.
 *
 * @param sourceShard where the source's manifest is
 * @param anchorOffset the offset that the creator named
 * @param subOffset what the creator added to it
 */
public record Fork(
    long sourceId, int sourceShard, long pointOffset, long anchorOffset, long subOffset) {}
