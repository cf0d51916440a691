package dev.weir.netty.flow;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What there is in an {@link AdmissionWorld}.
 *
 * @param plain how many channels do not ask
 * @param growing how many of the bodies grow
 * @param declaredUnits what a body takes whose length is declared
 * @param declaredParts in how many parts it comes
 * @param unitBytes what a unit is in bytes
 * @param deadlines whether a wait for memory ends in vain at some time
 * @param files the folder of a disk that bodies may go to; null: there is none
 * @param fileUnits what of them has room there
 * @param diskWorks whether it does what it is asked for
 */
record AdmissionSetup(
    boolean largestFirst,
    int plain,
    int growing,
    int declaredUnits,
    int declaredParts,
    int unitBytes,
    boolean deadlines,
    @Nullable Path files,
    int fileUnits,
    boolean diskWorks) {
  static AdmissionSetup of(boolean largestFirst, int plain, int growing) {
    return new AdmissionSetup(
        largestFirst,
        plain,
        growing,
        /* declaredUnits= */ 2,
        /* declaredParts= */ 1,
        /* unitBytes= */ 1 << 10,
        /* deadlines= */ false,
        /* files= */ null,
        /* fileUnits= */ 0,
        /* diskWorks= */ true);
  }

  AdmissionSetup withDeadlines() {
    return new AdmissionSetup(
        largestFirst,
        plain,
        growing,
        declaredUnits,
        declaredParts,
        unitBytes,
        /* deadlines= */ true,
        files,
        fileUnits,
        diskWorks);
  }

  AdmissionSetup withDeclared(int units, int parts, int bytesOfAUnit) {
    return new AdmissionSetup(
        largestFirst,
        plain,
        growing,
        units,
        parts,
        bytesOfAUnit,
        deadlines,
        files,
        fileUnits,
        diskWorks);
  }

  AdmissionSetup withFiles(Path folder, int units, boolean works) {
    return new AdmissionSetup(
        largestFirst,
        plain,
        growing,
        declaredUnits,
        declaredParts,
        unitBytes,
        deadlines,
        folder,
        units,
        works);
  }

  int channels() {
    return AdmissionWorld.BODIES + plain;
  }
}
