package dev.weir.replication.manifest;

import java.util.regex.Pattern;

/** The names of containers: what needs no quoting in URLs and is no special path. */
public final class ContainerName {
  /** What they may have, in words. */
  public static final String RULE =
      "letters, digits, '.', '_' and '-', at most 128, no '.' in front";

  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}");

  private ContainerName() {}

  /** Whether a text is one. */
  public static boolean isValid(String name) {
    return FORM.matcher(name).matches();
  }
}
