package dev.weir.netty.write;

import io.netty.util.ReferenceCounted;

/**
 * A message whose count cannot be replaced: a file region, or a type of the application's own. If
 * nobody shares it, a failed write takes back all that is left of it. One that others share is the
 * pipeline's from when that gets it: what is missing of its count, or too much, may be theirs.
 */
final class ReferencedPart implements OwnedPart {
  private final ReferenceCounted message;
  private final int countBefore;

  /** Whether nothing of it is to be released here. */
  private boolean dropped;

  ReferencedPart(ReferenceCounted message) {
    this.message = message;
    this.countBefore = message.refCnt();
  }

  @Override
  public void hand() {
    dropped |= countBefore > 1;
  }

  /** A reference that others took on the way looks like one that was not given back. */
  @Override
  public boolean isUnused() {
    return false;
  }

  @Override
  public boolean isUntouched() {
    return !dropped && message.refCnt() == countBefore;
  }

  @Override
  public boolean isGone() {
    return dropped || message.refCnt() == 0;
  }

  /**
   * Whoever took a reference on the way has a right to it, and one that was not is not told apart.
   */
  @Override
  public void settle() {
    dropped = true;
  }

  @Override
  public void drop() {
    if (dropped) {
      return;
    }
    dropped = true;
    int left = countBefore > 1 ? 1 : message.refCnt();
    if (left > 0) {
      message.release(left);
    }
  }
}
