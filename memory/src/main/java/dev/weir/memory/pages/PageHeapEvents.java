package dev.weir.memory.pages;

/**
 * What a page heap tells its pool. Called outside the page heap's lock, perhaps under a stripe's,
 * by the thread that caused it; must return at once.
 */
public interface PageHeapEvents {
  /** Live or promised bytes have gone down: a request that waits may fit now. */
  void roomFreed();

  /** Live pages have grown since {@link PageHeap#surveyed}, and some of them may hold nothing. */
  void liveGrown();

  /** Used bytes have grown out of the band of {@link PageHeap#watchUsed}: told once. */
  default void bandLeft() {}

  /** There are more dirty bytes than the page heap wants to keep: purge soon. */
  void dirtyHigh();

  /** Tells that pages have come free, and whether the purger is to come. Not to be overridden. */
  default void freed(boolean isDirtyHigh) {
    if (isDirtyHigh) {
      dirtyHigh();
    }
    roomFreed();
  }

  /** Tells what live pages have brought about by growing. Not to be overridden. */
  default void grown(boolean isSurveyDue, boolean bandLeft) {
    if (bandLeft) {
      bandLeft();
    }
    if (isSurveyDue) {
      liveGrown();
    }
  }
}
