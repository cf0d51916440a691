package dev.weir.server.console;

/** What the live profile can be had as. */
public enum ProfileForm {
  /** For {@code go tool pprof} and its like, compressed. */
  PPROF("application/octet-stream"),
  /** A line for each stack: for flame graph tools. */
  COLLAPSED("text/plain; charset=utf-8"),
  /** A tree of calls, for the console's page. */
  FLAME("application/json"),
  /** The pool, suspected leaks and the largest places, for people. */
  DUMP("text/plain; charset=utf-8");

  private final String mediaType;

  ProfileForm(String mediaType) {
    this.mediaType = mediaType;
  }

  /** The media type. */
  public String mediaType() {
    return mediaType;
  }
}
