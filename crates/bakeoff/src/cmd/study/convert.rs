//! Makes of a study's file what its figures are judged by.

use bakeoff_stats::study::{Claim, Comparison, Figure, FigureOf, PassTime, Quantile, Study};
use bakeoff_workload::{
    DesignId, StudyClaim, StudyComparison, StudyFigure, StudyPassTime, StudyQuantile,
};

pub fn study(file: &bakeoff_workload::Study) -> Study {
    let publication = &file.publication;
    Study {
        name: file.name.clone(),
        title: file.title.clone(),
        author: publication.author.clone(),
        year: publication.year,
        publication: publication.title.clone(),
        url: publication.url.clone(),
        question: file.question.clone(),
        method: file.method.clone(),
        claims: file.claims.iter().map(claim).collect(),
    }
}

fn claim(claim: &StudyClaim) -> Claim {
    Claim {
        text: claim.text.clone(),
        published: claim.published.clone(),
        why: claim.why.clone(),
        comparison: claim.comparison.as_ref().map(comparison),
    }
}

fn comparison(comparison: &StudyComparison) -> Comparison {
    let to = comparison.to.as_ref();
    Comparison {
        step: comparison.step.clone(),
        of: figure_of(&comparison.of, &comparison.of_design),
        to: to.map(|(figure, design)| figure_of(figure, design)),
        at_least: comparison.at_least,
        at_most: comparison.at_most,
    }
}

fn figure_of(figure: &StudyFigure, design: &DesignId) -> FigureOf {
    FigureOf {
        figure: self::figure(figure),
        design: design.to_string(),
    }
}

fn figure(figure: &StudyFigure) -> Figure {
    match figure {
        StudyFigure::Query(query) => Figure::Query(query.clone()),
        StudyFigure::Answered(query) => Figure::Answered(query.clone()),
        StudyFigure::Load => Figure::Load,
        StudyFigure::Storage => Figure::Storage,
        StudyFigure::Throughput => Figure::Throughput,
        StudyFigure::Response {
            operation,
            quantile,
        } => Figure::Response {
            operation: operation.clone(),
            quantile: match quantile {
                StudyQuantile::P50 => Quantile::P50,
                StudyQuantile::P99 => Quantile::P99,
                StudyQuantile::P999 => Quantile::P999,
            },
        },
        StudyFigure::Pass { operation, time } => Figure::Pass {
            operation: operation.clone(),
            time: match time {
                StudyPassTime::Real => PassTime::Real,
                StudyPassTime::User => PassTime::User,
                StudyPassTime::System => PassTime::System,
                StudyPassTime::ClientCpu => PassTime::ClientCpu,
                StudyPassTime::ServerCpu => PassTime::ServerCpu,
            },
        },
        StudyFigure::CompressionRatio => Figure::CompressionRatio,
        StudyFigure::CompressionMetadata => Figure::CompressionMetadata,
        StudyFigure::DiskReadPerByte => Figure::DiskReadPerByte,
        StudyFigure::DiskReadPerByteOfReads => Figure::DiskReadPerByteOfReads,
        StudyFigure::Inserts => Figure::Inserts,
    }
}
