package dev.weir.lab.replay;

/** What a replay does with the time that passes in a trace. */
enum ReplayTime {
  /** Only stretches of a millisecond or more in which nothing happens, of 2 s at most. */
  COMPRESSED("compressed"),
  /** All of it: what is behind its time does not wait. */
  RECORDED("recorded");

  private final String label;

  ReplayTime(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /**
   * Finds one by its label.
   *
   * @throws IllegalArgumentException if there is none
   */
  static ReplayTime of(String label) {
    for (ReplayTime time : values()) {
      if (time.label.equals(label)) {
        return time;
      }
    }
    throw new IllegalArgumentException("no time '" + label + "'; there are compressed, recorded");
  }
}
