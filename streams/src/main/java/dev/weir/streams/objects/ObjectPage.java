package dev.weir.streams.objects;

import java.util.List;

/**
 * A part of a listing.
 *
 * @param isLast false: there may be keys behind the last of these
 */
public record ObjectPage(List<ObjectInfo> objects, boolean isLast) {}
