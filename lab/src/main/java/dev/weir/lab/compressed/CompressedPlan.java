package dev.weir.lab.compressed;

import dev.weir.lab.contender.ZstdContender;
import java.util.List;

/**
 * What is run.
 *
 * @param responses how many are asked for
 * @param vanish whether the client of each vanishes when the first of it has come
 * @param contentBytes how long each is, before it is compressed
 * @param connections how many clients there are at a time
 * @param limitBytes direct memory
 * @param zstd what Weir's handler calls
 */
record CompressedPlan(
    int responses,
    boolean vanish,
    int contentBytes,
    int connections,
    long limitBytes,
    ZstdContender zstd) {
  List<String> arguments() {
    return List.of(
        Integer.toString(responses),
        Boolean.toString(vanish),
        Integer.toString(contentBytes),
        Integer.toString(connections),
        Long.toString(limitBytes),
        zstd.label());
  }

  CompressedPlan with(ZstdContender other) {
    return new CompressedPlan(responses, vanish, contentBytes, connections, limitBytes, other);
  }

  static CompressedPlan of(List<String> arguments) {
    return new CompressedPlan(
        Integer.parseInt(arguments.get(0)),
        Boolean.parseBoolean(arguments.get(1)),
        Integer.parseInt(arguments.get(2)),
        Integer.parseInt(arguments.get(3)),
        Long.parseLong(arguments.get(4)),
        ZstdContender.of(arguments.get(5)));
  }
}
