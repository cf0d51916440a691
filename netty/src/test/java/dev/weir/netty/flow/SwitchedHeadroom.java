package dev.weir.netty.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Memory that is short when a test says so, and relieved when the test completes the wait. */
final class SwitchedHeadroom implements Headroom {
  final List<CompletableFuture<Boolean>> waits = new ArrayList<>();
  boolean isShort;
  boolean isTight;

  /** Whether nobody can wait for relief. */
  boolean fails;

  @Override
  public boolean isShort() {
    return isShort;
  }

  @Override
  public boolean isTight() {
    return isTight || isShort;
  }

  @Override
  public CompletionStage<Boolean> relief() {
    if (fails) {
      throw new InternalError("made by the test");
    }
    CompletableFuture<Boolean> wait = new CompletableFuture<>();
    waits.add(wait);
    return wait;
  }
}
