package dev.weir.replication.serve;

import java.util.Locale;

/** Why a request was refused, as the metrics count it. */
public enum Refusal {
  /** All connections of the budget are in use. */
  CONNECTIONS,
  /** No place for one more import, or somebody else brings the same chunk. */
  BUSY,
  /** The disk has no room. */
  DISK,
  /** The container is there, or is being imported. */
  EXISTS,
  /** The client may not do that. */
  CLIENT,
  /** A file has changed since its manifest was made, or the manifest is not there any more. */
  CHANGED,
  /** A chunk has a wrong checksum. */
  CHECKSUM,
  /** A manifest that lies. */
  MANIFEST,
  /** There is no such thing. */
  MISSING,
  /** The request is wrong. */
  REQUEST,
  /** This side has failed. */
  FAILED;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
